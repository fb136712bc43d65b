"""Toeplitz and circulant matrices told without their dense entries, in O(n log n).

A first column and a first row say which Toeplitz matrix it would be, and random vectors whether it
is: two linear maps that differ agree on a Gaussian vector with probability 0.
"""

from __future__ import annotations

import numpy as np
import torch

from bestiary.compile.expression import conv, input_array
from bestiary.compile.from_matrix.direct.form import Array
from bestiary.compile.program import Mode, Program
from bestiary.compile.taps import Taps
from bestiary.structured import StructuredMatrix

CLOSE = 1e-12
"""Relative to the largest output; transforms of any length round to a hundredth of it."""
ZERO = 1e-15
"""Taps below this, relative to their norm, are what twiddles leave where there is none."""


def one_filter(member: StructuredMatrix, mode: Mode = "causal") -> Program | None:
    """One layer of one channel; None where the real part of the matrix is no such matrix.

    Toeplitz in a causal program, in a ring of n rows circulant.
    """
    n = member.n
    unit = torch.zeros(n, dtype=member.dtype)
    unit[0] = 1
    column = _numbers(member.apply(unit))
    row = _numbers(member.transpose().apply(unit))
    # Powers 1 - n to n - 1; round a ring those below 0 are those from 1 on.
    taps = np.concatenate([row[:0:-1], column])
    if mode == "circular":
        if np.abs(row[1:] - column[:0:-1]).max(initial=0) > CLOSE * np.abs(taps).max():
            return None
        taps = np.concatenate([np.zeros(n - 1), column])
    taps = np.where(np.abs(taps) <= ZERO * np.linalg.norm(taps), 0, taps)
    x = np.random.default_rng(0).normal(size=(2, n))
    expected = _numbers(member.apply(torch.from_numpy(x).to(member.dtype)))
    size = n if mode == "circular" else 4 * n
    spectrum = np.fft.rfft(column if mode == "circular" else taps, size)
    found = np.fft.irfft(np.fft.rfft(x, size) * spectrum, size)
    found = found if mode == "circular" else found[:, n - 1 : 2 * n - 1]
    if np.abs(found - expected).max() > CLOSE * max(np.abs(expected).max(), np.abs(taps).max()):
        return None
    used = np.flatnonzero(taps)
    lo, hi = (int(used[0]), int(used[-1]) + 1) if len(used) else (n - 1, n)
    given = input_array("x", 1)
    output = conv(Taps.of(taps[lo:hi, None], lo + 1 - n), given, "filtered")
    ring = n if mode == "circular" else None
    return Program((given,), output, n, mode=mode, ring=ring, name=f"{member!r}: one filter")


def _numbers(values: torch.Tensor) -> Array:
    real = values.real if values.is_complex() else values
    return real.detach().cpu().double().numpy()
