"""Daubechies' filters of least phase, and the rotations of their lattice."""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bestiary.errors import UserError

MOST_VANISHING = 10
"""Beyond, the roots of the filter's polynomial lose digits that float64 does not have."""


def scaling_filter(vanishing: int) -> NDArray[np.float64]:
    """The 2p taps h of the scaling filter with p ``vanishing`` moments; they sum to √2.

    Daubechies, "Orthonormal bases of compactly supported wavelets", 1988, section 4: h is
    (1 + z)^p times the factors z − z_i of the roots, inside the unit circle, of
    Σ_{k<p} C(p − 1 + k, k)·y^k, y = (2 − z − 1/z)/4. ``UserError`` for p outside of 1 to 10.
    """
    if not 1 <= vanishing <= MOST_VANISHING:
        raise UserError(
            f"a Daubechies wavelet has {vanishing} vanishing moments "
            f"(accepted: 1 to {MOST_VANISHING})"
        )
    powers = [math.comb(vanishing - 1 + k, k) for k in range(vanishing)]
    taps = np.ones(1, dtype=complex)
    for y in np.roots(powers[::-1]):
        pair = np.roots([1, 4 * y - 2, 1])
        taps = np.convolve(taps, [1, -pair[np.argmin(np.abs(pair))]])
    for _ in range(vanishing):
        taps = np.convolve(taps, [1, 1])
    real = taps.real
    return real * (math.sqrt(2) / real.sum())


def lattice(vanishing: int) -> list[Tensor]:
    """p orthogonal 2×2 matrices R_0 … R_{p−1}, the first one applied first.

    The polyphase matrix H(S) = Σ_j S^j·[[h[2j], h[2j + 1]], [g[2j], g[2j + 1]]], S the shift
    by one, g[k] = (−1)^k·h[2p − 1 − k], is R_{p−1}·diag(1, S)·R_{p−2} ··· diag(1, S)·R_0.
    """
    taps = scaling_filter(vanishing)
    details = taps[::-1] * (-1.0) ** np.arange(2 * vanishing)
    polyphase = np.stack([taps.reshape(-1, 2), details.reshape(-1, 2)], 1)
    rotations = []
    while len(polyphase) > 1:
        # The upper row of Rᵀ H must not reach the last shift, the lower one not the first.
        first, last = (_direction(polyphase[end]) for end in (0, -1))
        weights = np.linalg.norm(polyphase[0]), np.linalg.norm(polyphase[-1])
        upper = first if weights[0] >= weights[1] else np.array([last[1], -last[0]])
        rotation = np.stack([upper, np.array([-upper[1], upper[0]])], 1)
        turned = np.einsum("ij,sik->sjk", rotation, polyphase)
        polyphase = np.stack([turned[:-1, 0], turned[1:, 1]], 1)
        rotations.append(torch.from_numpy(rotation))
    return [torch.from_numpy(polyphase[0]), *reversed(rotations)]


def _direction(rank_one: NDArray[np.float64]) -> NDArray[np.float64]:
    """The unit vector that all columns of a 2×2 matrix of rank one are multiples of."""
    lengths = np.linalg.norm(rank_one, axis=0)
    longest = int(np.argmax(lengths))
    return rank_one[:, longest] / lengths[longest]
