"""Products of diagonals, permutations and fast transforms: Fastfood and ACDC."""

from __future__ import annotations

import math
from typing import Any

import torch

from bestiary.errors import UserError
from bestiary.structured.kaleidoscope import Kaleidoscope
from bestiary.structured.transforms.arguments import numbers
from bestiary.structured.transforms.chain import product
from bestiary.structured.transforms.cosine import dct2
from bestiary.structured.transforms.routing import permutation
from bestiary.structured.transforms.walsh import hadamard


def fastfood(scaling: Any, gaussian: Any, source: Any, signs: Any) -> Kaleidoscope:
    """S·H·G·Π·H·B/√n in (BB*)^3, of diagonals S, G and B and a permutation; n a power of two.

    Le, Sarlós and Smola, "Fastfood", 2013, equation 7 at σ = 1; H is the Hadamard matrix in natural
    order, Π gathers by ``source``.
    """
    s, g, b = (
        numbers(values, f"the diagonal {name} of Fastfood")
        for name, values in (("S", scaling), ("G", gaussian), ("B", signs))
    )
    routed = permutation(source)
    n = routed.n
    if not len(s) == len(g) == len(b) == n:
        raise UserError(
            f"Fastfood has diagonals of {len(s)}, {len(g)} and {len(b)} entries and a permutation "
            f"of {n}; all must be of one length, a power of two"
        )
    leaving, entering = hadamard(n), hadamard(n, adjoint=True)
    weighed = routed.butterflies[0].scale_rows(g)
    return product(
        leaving.scale_rows(s / math.sqrt(n)),
        Kaleidoscope((weighed, routed.butterflies[1])),
        entering.scale_columns(b),
    )


def acdc(inner: Any, outer: Any) -> Kaleidoscope:
    """Cᵀ·diag(outer)·C·diag(inner) in (BB*)^4_2, C the orthonormal DCT-II; n a power of two.

    Moczulski et al., "ACDC: A structured efficient linear layer", 2016, equation 4, on columns.
    """
    a, d = numbers(inner, "the diagonal A of ACDC"), numbers(outer, "the diagonal D of ACDC")
    if len(a) != len(d):
        raise UserError(f"ACDC has diagonals of {len(a)} and {len(d)} entries; they must agree")
    n = len(a)
    forward = orthonormal_dct2(n)
    pad = torch.zeros(forward.size - n, dtype=torch.float64)
    first, *middle, last = forward.butterflies
    first = first.scale_rows(torch.cat([d, pad]))
    last = last.scale_columns(torch.cat([a, pad]))
    return product(forward.transpose(), Kaleidoscope((first, *middle, last), n))


def orthonormal_dct2(n: int) -> Kaleidoscope:
    """DCT-II with rows of length 1, as ``scipy.fft.dct(norm="ortho")``, in (BB*)^2_2."""
    plain = dct2(n)
    scale = torch.full((plain.size,), math.sqrt(0.5 / n), dtype=torch.float64)
    scale[0] = math.sqrt(0.25 / n)
    first, *rest = plain.butterflies
    return Kaleidoscope((first.scale_rows(scale), *rest), n)
