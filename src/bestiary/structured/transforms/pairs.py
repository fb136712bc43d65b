"""Butterfly factors by what they do to pairs: a factor of size k mixes t and t + k/2.

That is bit log2(k) − 1 of the index; so a factor can be moved to another bit of a longer index.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from bestiary.structured.butterfly import Butterfly
from bestiary.structured.butterfly_factor import ButterflyFactor

Entries = Sequence[Sequence[Tensor | complex]]
"""The 2×2 matrices of all pairs: entry (i, j) of each, (n/2,), or one number for all."""


def pair_factor(n: int, k: int, entries: Entries, dtype: torch.dtype) -> ButterflyFactor:
    """The factor of size k that applies ``entries`` to the pairs (t, t + k/2).

    Pairs are counted by rising t: pair b·k/2 + p is t = b·k + p.
    """
    packed = torch.empty(2, 2, n // 2, dtype=dtype)
    for i in range(2):
        for j in range(2):
            packed[i, j] = torch.as_tensor(entries[i][j], dtype=dtype)
    return ButterflyFactor.from_packed(k, packed)


def switches(n: int, k: int, crossed: Tensor, dtype: torch.dtype) -> ButterflyFactor:
    """The factor of size k that exchanges the pairs where ``crossed`` (n/2,) is true."""
    cross, straight = crossed.to(dtype), (~crossed).to(dtype)
    return pair_factor(n, k, ((straight, cross), (cross, straight)), dtype)


def merged(left: ButterflyFactor, right: ButterflyFactor) -> ButterflyFactor:
    """The product of two factors of the same size, which is a factor of that size."""
    dtype = torch.promote_types(left.dtype, right.dtype)
    twiddle = torch.einsum(
        "...bijp,...bjlp->...bilp", left.twiddle.to(dtype), right.twiddle.to(dtype)
    )
    return ButterflyFactor(left.n, left.k, twiddle)


def merge_left(factor: ButterflyFactor, butterfly: Butterfly) -> Butterfly:
    """factor · butterfly, ``factor`` being of the size of the butterfly's first one as written."""
    first, *rest = butterfly.factors
    return Butterfly([merged(factor, first), *rest])


def merge_right(butterfly: Butterfly, factor: ButterflyFactor) -> Butterfly:
    """butterfly · factor, ``factor`` being of the size of the butterfly's last one as written."""
    *rest, last = butterfly.factors
    return Butterfly([*rest, merged(last, factor)])


def pair_starts(n: int, k: int) -> Tensor:
    """The t of every pair (t, t + k/2), rising, (n/2,)."""
    return torch.arange(n).reshape(n // k, 2, k // 2)[:, 0].flatten()


def on_bits(factor: ButterflyFactor, places: Sequence[int], n: int) -> ButterflyFactor:
    """The factor on indices of n that does to bit ``places[b]`` what this one does to its bit b.

    The 2×2 matrices depend on the bits in ``places`` alone; so the new matrix is, after a
    permutation of index bits, the Kronecker product of an identity and this factor.
    """
    half = factor.k // 2
    k = 2 << places[half.bit_length() - 1]
    starts = pair_starts(n, k)
    old = torch.zeros_like(starts)
    for bit, place in enumerate(places):
        old |= ((starts >> place) & 1) << bit
    pair = old // factor.k * half + old % half
    return ButterflyFactor.from_packed(k, factor.packed()[..., pair])


def with_bits_reversed(butterfly: Butterfly) -> Butterfly:
    """R · M · R, R being the bit reversal: in B* for a member of B, and the other way round."""
    places = range(butterfly.n.bit_length() - 2, -1, -1)
    return Butterfly([on_bits(factor, places, butterfly.n) for factor in butterfly.factors])
