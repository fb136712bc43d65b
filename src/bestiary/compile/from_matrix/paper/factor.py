"""Lemma H.16: a butterfly factor as three diagonals on shifts, in one layer and six that add."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestiary.compile.from_matrix.layout import Layout
from bestiary.compile.from_matrix.level import Level
from bestiary.compile.from_matrix.paper.add import add_block
from bestiary.compile.from_matrix.paper.layers import Layer, ones, program_of_layers
from bestiary.compile.from_matrix.time_blocks import check_blocks
from bestiary.compile.program import Program
from bestiary.errors import UserError

Array = NDArray[Any]


def paper_levels(levels: Sequence[Level], layout: Layout, name: str = "matrix") -> Program:
    """The program of a chain of factors: 1 + 6 layers where rows are paired, 1 + 3 inside of a row.

    A factor is own ⊙ x + up ⊙ x[t + s] + down ⊙ x[t − s]. One layer puts the three products, or
    inside of a row the two, below each other; ``add_block`` adds them up. ``UserError`` for
    circular mode, complex entries and levels of another radix.
    """
    if layout.mode != "causal":
        raise UserError("the paper's constructions are causal; compile them with mode causal")
    check_blocks(levels, layout)
    layers: list[Layer] = []
    base = 0
    for level in levels:
        made, base = _factor(level, layout, base)
        layers += made
    rest = layout.rows - layout.given
    if rest or not layers:
        layers.append(Layer({0: 1.0}, gate_bias={base: ones(layout.given, layout.channels)}))
    return program_of_layers(layers, layout.given, layout.channels, base, name)


def _factor(level: Level, layout: Layout, base: int) -> tuple[list[Layer], int]:
    n, d = layout.rows, layout.channels
    rows, channels = layout.split(level.bits)
    own = level.coefficients[0].reshape(n, d)
    if not level.bits:
        return [Layer({0: 1.0}, gate_bias={base: own})], base
    other = level.coefficients[level.bits[0]].reshape(n, d)
    if channels:
        return _inside(own, other, np.arange(d) ^ channels[0], base)
    upper = (np.arange(n) & rows[0] == 0)[:, None]
    down, up = np.where(upper, 0, other), np.where(upper, other, 0)
    s, start = rows[0], base + n
    # The second begins s rows late, so that its first s source rows do not fall into the first.
    at_up, at_down, total = n + s, 2 * n + s, 3 * n + s
    copies = Layer(
        {n: 1.0, n + at_up - s: 1.0, n + at_down + s: 1.0},
        gate_bias={start: own, start + at_up: up, start + at_down: down},
    )
    first, base = add_block(start, total, n, d, at_up)
    second, base = add_block(base, total, n, d, at_down)
    return [copies, *first, *second], base


def _inside(own: Array, other: Array, source: Array, base: int) -> tuple[list[Layer], int]:
    n, d = own.shape
    products = Layer(
        {n: 1.0},
        source=source.tolist(),
        gate_bias={base + n: own},
        conv_bias={base: other},
    )
    added, after = add_block(base, 2 * n, n, d, n)
    return [products, *added], after
