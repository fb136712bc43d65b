"""Chains of levels with groups of channels: one group for each place that a level writes to.

A level that mixes R rows at a time takes two layers. The first copies the rows, W adding up the
groups of the level before, into R groups, group p multiplied by what each source row gives to
place p (B2). The second moves group p by the sum of the shifts that lead to place p, 1 + X^±s for
R = 2, and keeps the rows of place p alone (a mask in B1). A level inside of a row takes one: a
group for each channel permutation, W permuting, B2 holding the coefficients. R = 2 is the
two-group form (docs/theory.md, 'Two groups of channels'), d' = 2d; larger R are the radix option,
d' = R·d. The last sum is one more layer.

Complex numbers are pairs of real channels (Re, Im), and every group is twice there: c·x is
Re c ⊙ x + Im c ⊙ ix.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestiary.compile.expression import Value, conv, input_array, row_scale, total
from bestiary.compile.from_matrix.layout import Layout
from bestiary.compile.from_matrix.level import Level, span
from bestiary.compile.program import Program
from bestiary.compile.rows import Rows

Array = NDArray[Any]


def channel_groups(levels: Sequence[Level], layout: Layout, name: str = "matrix") -> Program:
    """The program of a chain of levels, the first one first, by groups of channels."""
    x = input_array("x", layout.width, layout.labels("x"))
    value: Value = x
    for number, level in enumerate(levels, 1):
        value = apply_level(value, level, layout, f"level {number}")
    return layout.program(x, value, name)


def apply_level(value: Value, level: Level, layout: Layout, name: str) -> Value:
    """A level of ``layout.size`` positions applied to an array, the sum of its groups."""
    rows, channels = layout.split(level.bits)
    groups = [
        _group(value, level, layout, to, swap, span(rows), f"{name} to {to}, {swap}")
        for to in span(rows)
        for swap in span(channels)
    ]
    parts = [part for group in groups for part in group]
    return parts[0] if len(parts) == 1 else total(parts, name)


def _group(
    value: Value, level: Level, layout: Layout, to: int, swap: int, places: list[int], name: str
) -> Iterator[Value]:
    """What comes to the rows of place ``to`` from channels that differ by ``swap``."""
    d = layout.channels
    row = np.arange(layout.rows)
    coming = np.zeros((layout.rows, d), dtype=np.result_type(*level.coefficients.values()))
    for place in places:
        source = row[(row & places[-1]) == place]
        given = level.coefficients[(to ^ place) * d + swap].reshape(layout.rows, d)
        coming[source] = given[source ^ (to ^ place)]
    if not coming.any() and (to, swap) != (0, 0):
        return
    moved = layout.swapped(value, swap)
    for copied, coefficients in layout.products(moved, coming):
        told = name if copied is moved else f"i · {name}"
        group = row_scale(copied, Rows.of(coefficients), told)
        if len(places) == 1:
            yield group
            continue
        taps = {to - place: 1.0 for place in places}
        mask = Rows.of(((row & places[-1]) == to).astype(float))
        yield row_scale(conv(taps, group), mask, f"{told} moved")
