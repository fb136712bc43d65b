"""Haar and Daubechies wavelet transforms, orthonormal and periodic.

Entries come out as [approximation, coarsest details, …, finest details].
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from bestiary.errors import UserError
from bestiary.structured.butterfly import Butterfly
from bestiary.structured.kaleidoscope import Kaleidoscope
from bestiary.structured.matrix import check_power_of_two
from bestiary.structured.permutation import Permutation
from bestiary.structured.transforms.chain import product
from bestiary.structured.transforms.daubechies_filter import lattice
from bestiary.structured.transforms.pairs import merge_left, pair_factor, pair_starts
from bestiary.structured.transforms.routing import permutation, stride

HALF = math.sqrt(0.5)


def haar(n: int) -> Kaleidoscope:
    """The Haar transform over all log2 n levels, in (BB*)^2; n a power of two.

    In place it is in B: level by level, sums stay where the lower bits of the index are 0 and
    meet there. A permutation then sorts the details by level.
    """
    check_power_of_two(n, "the size n of a wavelet transform")
    factors, source = [], [torch.tensor([0])]
    k = n
    while k > 1:
        met = (pair_starts(n, k) % (k // 2) == 0).double()
        stay = 1 - met
        entries = ((stay + HALF * met, HALF * met), (HALF * met, stay - HALF * met))
        factors.append(pair_factor(n, k, entries, torch.float64))
        source.append(torch.arange(k // 2, n, k))
        k //= 2
    return product(permutation(torch.cat(source)), Butterfly(factors))


def daubechies(n: int, vanishing: int = 2, levels: int | None = None) -> Kaleidoscope:
    """The transform by Daubechies wavelets with p ``vanishing`` moments, filters of 2p taps.

    a[i] = Σ_k h[k]·x[(2i + k) mod m] and d[i] = Σ_k (−1)^k·h[2p − 1 − k]·x[(2i + k) mod m] on the m
    approximations of the level before. n is a power of two, ``levels`` log2 n unless given. Each
    level of m ≥ 4 is in (BB*)^p, the one of m = 2 in BB*: the lattice of p rotations of even and
    odd entries with a shift of the odd ones between any two (Vaidyanathan and Hoang, "Lattice
    structures for optimal design and robust implementation of two-channel perfect-reconstruction
    QMF banks", 1988). Raises ``UserError`` for p outside of 1 to 10 and too many levels.
    """
    check_power_of_two(n, "the size n of a wavelet transform")
    deepest = n.bit_length() - 1
    depth = deepest if levels is None else levels
    if not 1 <= depth <= deepest:
        raise UserError(
            f"a wavelet transform of n = {n} has {depth} levels (accepted: 1 to {deepest})"
        )
    rotations = lattice(vanishing)
    steps: list[Kaleidoscope] = []
    for level in range(depth):
        steps += _level(n >> level, rotations)
    grown = [step.expand(n) for step in steps]
    return product(*(Kaleidoscope(step.butterflies) for step in reversed(grown)))


def daubechies_width(n: int, vanishing: int = 2) -> int:
    """The width of ``daubechies`` over all levels."""
    return vanishing * (n.bit_length() - 2) + 1


def _level(m: int, rotations: list[Tensor]) -> list[Kaleidoscope]:
    """One level on m entries, first step first: approximations, then details."""
    half = m // 2
    if half == 1:
        whole = rotations[0]
        for rotation in rotations[1:]:
            whole = rotation @ whole
        return [Kaleidoscope.of(_rotated(Kaleidoscope.identity(2), whole))]
    index = torch.arange(half)
    shift = Permutation(torch.cat([index, half + (index + 1) % half]))
    steps = [_rotated(permutation(stride(m)), rotations[0])]
    steps += [_rotated(permutation(shift), rotation) for rotation in rotations[1:]]
    return steps


def _rotated(routed: Kaleidoscope, rotation: Tensor) -> Kaleidoscope:
    """A permutation in BB*, then ``rotation`` of all pairs (t, t + n/2)."""
    leaving, entering = routed.butterflies
    factor = pair_factor(routed.n, routed.n, rotation.tolist(), torch.float64)
    return Kaleidoscope((merge_left(factor, leaving), entering))
