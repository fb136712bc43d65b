"""Chains of levels with groups as blocks of rows instead of channels: d' = d.

Between levels a vector of n rows is the sum of two blocks, one at row 0 and one at row E ≥ n. A
level that pairs rows s apart takes two layers:

1. (X^-E + 1 + X^E), and the coefficients in B1: the sum of the blocks at row 0 and at row E, there
   times what each row gives to the upper, here to the lower place (or the other way round).
2. 1 + X^-s, and a mask in B1: the upper places come to lie in the first block, and the lower ones,
   s rows early, in the second, which so begins at E − s. With the blocks the other way round and
   1 + X^s it begins at E + s. E − s is taken where that is still n or more, or where the blocks
   are added up next; so n ≤ E < 2n when a level begins.

A level inside of a row takes two as well: the sum of the blocks alone, X^-E + 1; then one layer
whose gate side permutes the channels of the first block and whose convolution side moves the block
to row n, each side being its coefficients where the other one has the block. One more layer is the
last sum. In a ring, 2·E + n rows keep blocks from meeting, with the largest E: 4n for a butterfly,
5n for kaleidoscopes; in causal mode each level delays by E, or E + s.
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
from bestiary.compile.program import Program
from bestiary.compile.rows import Rows
from bestiary.errors import UserError

Array = NDArray[Any]


@dataclass(frozen=True)
class Blocks:
    """A vector as the sum of a block at row 0 and one at row ``second``; 0 where there is none."""

    value: Value
    second: int = 0


def time_blocks(levels: Sequence[Level], layout: Layout, name: str = "matrix") -> Program:
    """The program of a chain of levels, the first one first, by blocks of rows.

    ``UserError`` for complex entries and levels that mix more than two positions, which have no
    such form here.
    """
    check_blocks(levels, layout)
    x = input_array("x", layout.width, layout.labels("x"))
    blocks, largest = Blocks(x), layout.rows
    for number, level in enumerate(levels, 1):
        paired = number < len(levels) and bool(layout.split(levels[number].bits)[0])
        blocks = _applied(blocks, level, layout, paired, f"level {number}")
        largest = max(largest, blocks.second if paired else 0)
    layout = replace(layout, spare=2 * largest)
    return layout.program(x, _summed(blocks, layout, name), name)


def check_blocks(levels: Sequence[Level], layout: Layout) -> None:
    """``UserError`` for what has no form at d' = d: complex entries, more than two positions."""
    if layout.pairs:
        raise UserError(
            "complex entries have no layout by blocks of rows; compile them by groups of channels"
        )
    for number, level in enumerate(levels, 1):
        if len(level.bits) > 1:
            raise UserError(
                f"level {number} mixes {len(level.coefficients)} positions; by blocks of rows it "
                "can be two (radix 2)"
            )


def _applied(blocks: Blocks, level: Level, layout: Layout, paired: bool, name: str) -> Blocks:
    """The level applied; paired: whether the next one pairs rows."""
    rows, channels = layout.split(level.bits)
    own = level.coefficients[0].reshape(layout.rows, layout.channels)
    if not level.bits:
        return Blocks(row_scale(_summed(blocks, layout, name), Rows.of(own), name))
    other = level.coefficients[level.bits[0]].reshape(layout.rows, layout.channels)
    if rows:
        return _rows_paired(blocks, own, other, rows[0], paired, name)
    return _channels_paired(blocks, own, other, channels[0], layout, name)


def _summed(blocks: Blocks, layout: Layout, name: str) -> Value:
    """The vector in one block."""
    if not blocks.second:
        return blocks.value
    both = conv({-blocks.second: 1.0, 0: 1.0}, blocks.value)
    return row_scale(both, Rows.window(0, layout.rows), f"{name} summed")


def _rows_paired(
    blocks: Blocks, own: Array, other: Array, s: int, paired: bool, name: str
) -> Blocks:
    """y[t] = own[t]·x[t] + other[t]·x[t ^ s]."""
    n = len(own)
    row = np.arange(n)
    upper = (row & s == 0)[:, None]
    # What each row gives to the upper and to the lower of its pair.
    to_upper = np.where(upper, own, other[row ^ s])
    to_lower = np.where(upper, other[row ^ s], own)
    apart = max(blocks.second, n)
    early = apart - s >= n or not paired
    first, second = (to_upper, to_lower) if early else (to_lower, to_upper)
    taps = {0: 1.0, apart: 1.0}
    if blocks.second:
        taps[-apart] = 1.0
    weighed = row_scale(conv(taps, blocks.value), _at({0: first, apart: second}), f"{name} weighed")
    # Upper rows t read t and t + s; lower rows, s rows early, read the same two.
    begins = apart - s if early else apart + s
    places = (upper, ~upper) if early else (~upper, upper)
    moved = conv({0: 1.0, -s if early else s: 1.0}, weighed)
    masks = [np.broadcast_to(place, own.shape).astype(float) for place in places]
    return Blocks(row_scale(moved, _at({0: masks[0], begins: masks[1]}), name), begins)


def _channels_paired(
    blocks: Blocks, own: Array, other: Array, swap: int, layout: Layout, name: str
) -> Blocks:
    """y[t, c] = own[t, c]·x[t, c] + other[t, c]·x[t, c ^ swap]."""
    n = layout.rows
    x = _summed(blocks, layout, name)
    # Rows 0 to n − 1: (x permuted) ⊙ other. Rows n to 2n − 1: own ⊙ (x moved).
    gate = layout.swapped(x, swap) + Rows.of(own, n)
    return Blocks(mul(gate, conv({n: 1.0}, x) + Rows.of(other), name), n)


def _at(blocks: dict[int, Array]) -> Rows:
    """Arrays at the rows given, 0 elsewhere; later ones are added to those they meet."""
    lo, hi = min(blocks), max(row + len(array) for row, array in blocks.items())
    values = np.zeros((hi - lo, *next(iter(blocks.values())).shape[1:]))
    for row, array in blocks.items():
        values[row - lo : row - lo + len(array)] += array
    return Rows.of(values, lo)
