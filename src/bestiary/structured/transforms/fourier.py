"""The discrete Fourier transform and its relatives as kaleidoscopes.

Cooley and Tukey, "An algorithm for the machine calculation of complex Fourier series", 1965: the
DFT is a butterfly after the bit reversal, and, being symmetric, the bit reversal after one of B*.
"""

from __future__ import annotations

import torch
from torch import Tensor

from bestiary.structured.butterfly import Butterfly, falling_sizes
from bestiary.structured.butterfly_factor import ButterflyFactor
from bestiary.structured.kaleidoscope import Kaleidoscope
from bestiary.structured.matrix import check_power_of_two
from bestiary.structured.permutation import Permutation
from bestiary.structured.transforms.chain import composed, product
from bestiary.structured.transforms.kronecker_product import kronecker
from bestiary.structured.transforms.pairs import merge_left, pair_factor
from bestiary.structured.transforms.routing import bit_reversal, permutation

COMPLEX = torch.complex128


def unit_root(angle: Tensor) -> Tensor:
    """exp(−2πi·angle), complex128, for angles in turns."""
    return torch.exp(-2j * torch.pi * (angle.double() % 1))


def cooley_tukey(n: int) -> Butterfly:
    """The member F of B with DFT = F · R, R being the bit reversal; complex128.

    Its blocks of size k are [[I, Ω], [I, −Ω]], Ω = diag(exp(−2πi·p/k)).
    """
    check_power_of_two(n, "the size n of a Fourier transform")
    factors = []
    for k in falling_sizes(n):
        root = unit_root(torch.arange(k // 2) / k).repeat(n // k)
        factors.append(pair_factor(n, k, ((1, root), (1, -root)), COMPLEX))
    return Butterfly(factors)


def dft(n: int) -> Kaleidoscope:
    """The DFT, y[k] = Σ_j exp(−2πi·kj/n)·x[j], in (BB*)^2; n a power of two.

    ``chirp_dft`` takes any other n.
    """
    return product(cooley_tukey(n), bit_reversal(n))


def inverse_dft(n: int) -> Kaleidoscope:
    """The inverse DFT, x[j] = (1/n)·Σ_k exp(2πi·kj/n)·y[k], in (BB*)^2; n a power of two."""
    backward = cooley_tukey(n).conjugate()
    scale = torch.full((n,), 1 / n, dtype=COMPLEX)
    return product(backward.scale_rows(scale), bit_reversal(n))


def dft_2d(rows: int, columns: int) -> Kaleidoscope:
    """The 2-D DFT of a rows × columns array read row by row, n = rows·columns, in (BB*)^2.

    Both are powers of two.
    """
    return kronecker(dft(rows), dft(columns))


def hartley(n: int) -> Kaleidoscope:
    """The Hartley transform, y[k] = Σ_j (cos + sin)(2πkj/n)·x[j], in (BB*)^3; n a power of two.

    With N the map j → −j it is the DFT after ((1 + i)·I + (1 − i)·N)/2, which mixes j and n − j.
    """
    paired = _conjugate_pairs(n)
    mixing = _on_conjugate_pairs(n, ((0.5 + 0.5j, 0.5 - 0.5j), (0.5 - 0.5j, 0.5 + 0.5j)))
    gathered = permutation(paired)
    mixed = Kaleidoscope((merge_left(mixing, gathered.butterflies[0]), gathered.butterflies[1]))
    back = permutation(composed(Permutation.bit_reversal(n), paired.inverse()))
    return product(cooley_tukey(n), back, mixed)


def real_dft(n: int) -> Kaleidoscope:
    """The DFT of real numbers as n real ones, in (BB*)^3; n a power of two.

    y = [Re X[0], Re X[1], Im X[1], …, Re X[n/2 − 1], Im X[n/2 − 1], Re X[n/2]], X the DFT of x.
    """
    gathered = permutation(composed(_conjugate_pairs(n), Permutation.bit_reversal(n)))
    mixing = _on_conjugate_pairs(n, ((0.5, 0.5), (-0.5j, 0.5j)))
    mixed = Kaleidoscope((merge_left(mixing, gathered.butterflies[0]), gathered.butterflies[1]))
    half = torch.arange(1, n // 2)
    packed = torch.stack([half, half + n // 2], -1).flatten()
    order = torch.cat([torch.tensor([0]), packed, torch.tensor([n // 2])])
    return product(permutation(order), mixed, cooley_tukey(n).transpose())


def _conjugate_pairs(n: int) -> Permutation:
    """Put j at p and n − j at p + n/2 for p = j = 1 … n/2 − 1, and 0 and n/2 where they are."""
    check_power_of_two(n, "the size n of a Fourier transform")
    upper = torch.arange(n // 2)
    return Permutation(torch.cat([upper, torch.where(upper == 0, n // 2, n - upper)]))


def _on_conjugate_pairs(n: int, entries: tuple[tuple[complex, complex], ...]) -> ButterflyFactor:
    """The factor of size n with ``entries`` on all pairs but the first, which it leaves alone."""
    unit = ((1, 0), (0, 1))
    first = torch.arange(n // 2) == 0
    chosen = [
        [torch.where(first, complex(unit[i][j]), complex(entries[i][j])) for j in range(2)]
        for i in range(2)
    ]
    return pair_factor(n, n, chosen, COMPLEX)
