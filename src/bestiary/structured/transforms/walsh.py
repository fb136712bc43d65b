"""The Hadamard (Walsh) transform in its three orders; entries are +1 and −1, unscaled."""

from __future__ import annotations

import torch

from bestiary.structured.butterfly import Butterfly, falling_sizes
from bestiary.structured.kaleidoscope import Kaleidoscope
from bestiary.structured.permutation import Permutation
from bestiary.structured.transforms.chain import product
from bestiary.structured.transforms.pairs import pair_factor
from bestiary.structured.transforms.routing import permutation


def hadamard(n: int, *, adjoint: bool = False) -> Butterfly:
    """The Hadamard matrix in natural order, the Kronecker power of [[1, 1], [1, −1]], in B.

    It is symmetric, hence in B* too: ``adjoint`` gives it there. H[i, j] = (−1)^(number of bits
    that i and j share). n is a power of two.
    """
    sizes = falling_sizes(n)[:: -1 if adjoint else 1]
    return Butterfly([pair_factor(n, k, ((1, 1), (1, -1)), torch.float64) for k in sizes])


def dyadic_hadamard(n: int) -> Kaleidoscope:
    """The Hadamard matrix in dyadic (Paley) order, in (BB*)^2; n a power of two.

    Row i is row R(i) of the natural order, R being the bit reversal.
    """
    rows = Permutation.bit_reversal(n)
    return product(permutation(rows), hadamard(n, adjoint=True))


def sequency_hadamard(n: int) -> Kaleidoscope:
    """The Hadamard matrix in sequency (Walsh) order, in (BB*)^2; n a power of two.

    Row i changes sign i times. It is row i XOR (i >> 1), the Gray code of i, of the dyadic order.
    """
    index = torch.arange(n)
    rows = Permutation.bit_reversal(n).source[index ^ (index >> 1)]
    return product(permutation(rows), hadamard(n, adjoint=True))
