"""Toeplitz and circulant matrices, in blocks of d: one dense filter for each pair of channels.

With d = 1 that is one filter in one layer: modulo X^n − 1 a circulant matrix in a ring of n rows,
with negative powers (a delay of n − 1 rows) any Toeplitz matrix in causal mode.
"""

from __future__ import annotations

import numpy as np

from bestiary.compile.expression import Value, conv, read, total
from bestiary.compile.from_matrix.direct.form import Array, BlockMatrix, Form
from bestiary.compile.taps import Taps


def block_toeplitz(matrix: BlockMatrix) -> Form | None:
    """The form, or None where blocks differ along a diagonal."""
    d = matrix.d
    filters = np.zeros((len(matrix.offsets), d, d))
    for place, offset in enumerate(matrix.offsets):
        blocks = matrix.present(offset)
        if np.abs(blocks - blocks[:1]).max() > matrix.rounding:
            return None
        filters[place] = blocks.mean(axis=0)
    filters[np.abs(filters) <= matrix.rounding] = 0
    turns = [turn for turn in range(d) if _turned(filters, turn).any()] or [0]

    def apply(x: Value) -> Value:
        parts = [_part(x, filters, turn, matrix.offsets[0]) for turn in turns]
        return parts[0] if len(parts) == 1 else total(parts, "convolved")

    alone = turns == [0]
    return Form("dense filters", 1 if alone else 3, d * len(turns), apply)


def _turned(filters: Array, turn: int) -> Array:
    """(taps, d): for channel c the filter from channel c + turn."""
    c = np.arange(filters.shape[1])
    return filters[:, c, (c + turn) % len(c)]


def _part(x: Value, filters: Array, turn: int, first: int) -> Value:
    taps = _turned(filters, turn)
    kept = np.flatnonzero(taps.any(axis=1))
    lo, hi = (kept[0], kept[-1] + 1) if len(kept) else (0, 1)
    source = [(c + turn) % x.width for c in range(x.width)]
    moved = x if turn == 0 else read(x, source)
    return conv(Taps.of(taps[lo:hi], first + int(lo)), moved, f"filtered from {turn} further")
