"""Bitonic sort of the rows of an array, as an array program: every stage a shift by a power of two.

A stage (k, j) compares rows 2^j apart whose numbers differ in bit j, and orders them upwards where
bit k of their number is 0, downwards where it is 1. Of a pair, the *lower* is the row further down;
it sees the other by a shift down, which costs no delay, and compares and multiplies for both::

    equal_k = (1 + x_k · y_k) / 2                   bits in ±1, y the row 2^j above
    sign    = Σ_k (Π_{l < k} equal_l) · sign_k      of the first bit that differs, by a tree
    move    = (1 + sign) / 2 · (x - y)              in the lower rows, 0 in all others
    x       = x - move + (move of the row 2^j below)

A product of two bits, ⌈log2 B⌉ layers of the tree, move, both moves beside each other, the sum:
⌈log2 B⌉ + 4 layers a stage that compares B bits, and a delay of 2^j rows, for the last line reads
so far ahead. sign_k = ±(x_k - y_k) / 2 has the direction and the lower rows as a mask of rows, so
that all that follows is 0 elsewhere without a layer for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestiary.compile.expression import Value, concat, conv, mul, row_scale, shift, total
from bestiary.compile.rows import Rows

Rowwise = NDArray[np.float64]


@dataclass(frozen=True)
class Stage:
    """Which rows of 0 … 2^bits - 1 a stage compares.

    step: how far apart. lower: (rows,), 1 in the rows that have a partner ``step`` above, else 0.
    direction: (rows,), 1 where the lower row gets the greater of both, else -1.
    """

    step: int
    lower: Rowwise
    direction: Rowwise


def stages(bits: int) -> Iterator[Stage]:
    """The bits·(bits + 1)/2 stages that sort 2^bits rows, ascending."""
    rows = np.arange(2**bits)
    for k in range(1, bits + 1):
        for j in reversed(range(k)):
            lower = ((rows >> j) & 1).astype(np.float64)
            direction = 1.0 - 2.0 * ((rows >> k) & 1).astype(np.float64)
            yield Stage(2**j, lower, direction)


def layers_of_stage(compared: int) -> int:
    """⌈log2 B⌉ + 4 for B compared bits."""
    return (compared - 1).bit_length() + 4


def sorted_rows(
    x: Value, compared: int, bits: int, name: str = "sort"
) -> tuple[Value, list[Value]]:
    """The rows 0 … 2^bits - 1 of x in ascending order, and for each stage which of them it swapped.

    x: channels of ±1, the first ``compared`` of which are what is compared, the most significant
    first, and differ in any two rows; others go with their row and may have any values. The swaps
    are for ``exchanged``. name: what the names of the values of all stages begin with.
    """
    swaps = []
    for number, stage in enumerate(stages(bits), 1):
        called = f"{name} {number}"
        swap = swapped(x[:compared], stage, called)
        x = moved(x, swap, stage.step, called)
        swaps.append(swap)
    return x, swaps


def swapped(keys: Value, stage: Stage, name: str = "stage") -> Value:
    """One channel: 1 in the lower row of each pair that has to be swapped, 0 in all others."""
    equal = mul(0.5 * keys, shift(keys, stage.step)).named(f"{name} alike") + 0.5
    # Above - below is 2 or -2 in the first bit that differs.
    mask = Rows.of(-0.5 * stage.direction * stage.lower)
    sign = row_scale(conv({0: 1, stage.step: -1}, keys), mask).named(f"{name} order")
    while sign.width > 1:
        # Neighbours, so that of every pair the first is the more significant; an odd one waits.
        first, second = slice(0, sign.width - 1, 2), slice(1, sign.width, 2)
        odd = slice(sign.width - sign.width % 2, sign.width)
        decided = sign[first] + mul(equal[first], sign[second]).named(f"{name} order")
        both = mul(equal[first], equal[second]).named(f"{name} same")
        sign, equal = _joined(decided, sign[odd]), _joined(both, equal[odd])
    return (sign * 0.5 + Rows.of(0.5 * stage.lower)).named(f"{name} swap")


def moved(x: Value, swap: Value, step: int, name: str = "stage") -> Value:
    """x with those rows exchanged, ``step`` apart, of which the lower one has a 1 in ``swap``."""
    move = mul(swap[[0] * x.width], conv({0: 1, step: -1}, x)).named(f"{name} move")
    return (x + conv({0: -1, -step: 1}, move)).named(name)


def exchanged(x: Value, swap: Value, step: int) -> Value:
    """The same where the swap has been known for long: products with x on the gate side alone.

    Of each row what stays, what goes up and what goes down; the next gate adds them up. Two layers.
    """
    each = [0] * x.width
    stays = mul(x, (1 - conv({0: 1, -step: 1}, swap))[each])
    rises, falls = mul(x, swap[each]), mul(x, shift(swap, -step)[each])
    return total([stays, shift(rises, -step), shift(falls, step)])


def _joined(pairs: Value, odd: Value) -> Value:
    return concat([pairs, odd]) if odd.width else pairs
