"""Chains of levels at d' = d in twice the rows: an address bit to spare, and index bits that move.

The n rows of a vector lie in 2n rows, at those whose address has a 0 at the spare bit, of weight f;
each bit of the row index lies at an address bit of its own. A level that pairs rows in the index
bit at weight p takes two layers:

1. 1 + X^f, and the coefficients in B1: every row once more where the spare bit is 1; there times
   what it gives to the lower of its pair, at 0 times what it gives to the upper.
2. 1 + X^-p, and in B1 a mask of the rows with a 0 at p: the sums over the index bit, which now is
   what the spare bit was; the bit at p is to spare.

Nothing has to be kept apart by distance, so a ring of 2n rows will do, and in causal mode levels
delay by p alone: by n − 1 for all of a butterfly. The price is that index bits end up elsewhere. A
bit goes home in a layer, 1 + X^(f−p) and a mask; a butterfly has all its bits to bring home, but
B* followed by B, as in (BB*)^w, moves every bit away and back. Levels inside of a row take two
layers, as with blocks of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestiary.compile.expression import Value, conv, input_array, mul, row_scale
from bestiary.compile.from_matrix.layout import Layout
from bestiary.compile.from_matrix.level import Level
from bestiary.compile.from_matrix.time_blocks import check_blocks
from bestiary.compile.program import Program
from bestiary.compile.rows import Rows

Array = NDArray[Any]


@dataclass(frozen=True)
class Addressed:
    """A vector among 2n rows. weights: where each bit of the row index lies; spare: which is 0."""

    value: Value
    weights: tuple[int, ...]
    spare: int

    @property
    def rows(self) -> Array:
        """All row addresses."""
        return np.arange(2 << len(self.weights))

    @property
    def index(self) -> Array:
        """For each address the row of the vector, the spare bit left out of account."""
        addresses = self.rows
        index = np.zeros_like(addresses)
        for bit, weight in enumerate(self.weights):
            index |= (addresses & weight != 0).astype(addresses.dtype) << bit
        return index


def index_bits(levels: Sequence[Level], layout: Layout, name: str = "matrix") -> Program:
    """The program of a chain of levels, the first one first, in twice the rows.

    ``UserError`` for complex entries and levels that mix more than two positions.
    """
    check_blocks(levels, layout)
    x = input_array("x", layout.width, layout.labels("x"))
    home = tuple(1 << bit for bit in range(layout.rows.bit_length() - 1))
    state = Addressed(x, home, layout.rows)
    for number, level in enumerate(levels, 1):
        state = _applied(state, level, layout, f"level {number}")
    while (bit := _astray(state)) is not None:
        state = _moved(state, bit)
    return replace(layout, spare=layout.rows).program(x, state.value, name)


def _applied(state: Addressed, level: Level, layout: Layout, name: str) -> Addressed:
    rows, channels = layout.split(level.bits)
    own = level.coefficients[0].reshape(layout.rows, layout.channels)
    if not level.bits:
        kept = (state.rows & state.spare == 0)[:, None]
        scale = np.where(kept, own[state.index], 0)
        return replace(state, value=row_scale(state.value, Rows.of(scale), name))
    other = level.coefficients[level.bits[0]].reshape(layout.rows, layout.channels)
    if rows:
        return _rows_paired(state, own, other, rows[0], name)
    return _channels_paired(state, own, other, channels[0], layout, name)


def _rows_paired(state: Addressed, own: Array, other: Array, s: int, name: str) -> Addressed:
    bit = s.bit_length() - 1
    place, index = state.weights[bit], state.index
    to = (state.rows & state.spare != 0).astype(index.dtype) * s
    stays = (index & s == to)[:, None]
    given = np.where(stays, own[index], other[index ^ s])
    weighed = row_scale(
        conv({0: 1.0, state.spare: 1.0}, state.value), Rows.of(given), f"{name} weighed"
    )
    return _exchanged(state, bit, conv({0: 1.0, -place: 1.0}, weighed), name)


def _channels_paired(
    state: Addressed, own: Array, other: Array, swap: int, layout: Layout, name: str
) -> Addressed:
    copy = (state.rows & state.spare != 0)[:, None]
    gate = layout.swapped(state.value, swap) + Rows.of(np.where(copy, own[state.index], 0))
    moved = conv({state.spare: 1.0}, state.value)
    both = mul(gate, moved + Rows.of(np.where(copy, 0, other[state.index])), f"{name} weighed")
    summed = conv({0: 1.0, -state.spare: 1.0}, both)
    mask = Rows.of((~copy[:, 0]).astype(float))
    return replace(state, value=row_scale(summed, mask, name))


def _moved(state: Addressed, bit: int) -> Addressed:
    """An index bit at the spare bit's place."""
    taps = {0: 1.0, state.spare - state.weights[bit]: 1.0}
    return _exchanged(state, bit, conv(taps, state.value), f"bit {bit} moved")


def _exchanged(state: Addressed, bit: int, value: Value, name: str) -> Addressed:
    """The rows with a 0 where ``bit`` was, which is to spare now."""
    left = state.weights[bit]
    mask = Rows.of((state.rows & left == 0).astype(float))
    weights = list(state.weights)
    weights[bit] = state.spare
    return Addressed(row_scale(value, mask, name), tuple(weights), left)


def _astray(state: Addressed) -> int | None:
    """An index bit to move next: the one whose home is to spare, else any that is away."""
    bit = state.spare.bit_length() - 1
    if bit < len(state.weights):
        return bit
    away = (b for b, weight in enumerate(state.weights) if weight != 1 << b)
    return next(away, None)
