"""Layers written out: W, B1, h and B2 of each, as a program whose cells are placed already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestiary.compile.cell import Cell, RowNumber
from bestiary.compile.expression import Concat, Value, input_array, read
from bestiary.compile.program import Program
from bestiary.compile.rows import Rows
from bestiary.compile.taps import Taps

Array = NDArray[Any]
Placed = Mapping[int, Array]
"""Arrays (rows, d) by the row where each begins; 0 elsewhere."""


@dataclass(frozen=True)
class Layer:
    """Y = (U[source] + B1) ⊙ (h * U + B2), U[source] being U with its channels gathered.

    source: None where W is 0. taps: h, by power of X, a number or one a channel.
    """

    taps: Mapping[int, Any]
    source: Sequence[int] | None = None
    gate_bias: Placed = field(default_factory=dict)
    conv_bias: Placed = field(default_factory=dict)


def ones(rows: int, d: int) -> Array:
    """A block of ones."""
    return np.ones((rows, d))


def program_of_layers(
    layers: Sequence[Layer], given: int, d: int, first: int, name: str, rows: int | None = None
) -> Program:
    """The program of layers on ``given`` rows; rows ``first`` on are read, as many unless said."""
    x = input_array("x", d)
    wires: list[Value] = [read(x, c, f"x.{c}") for c in range(d)]
    for number, layer in enumerate(layers, 1):
        gates, convs = _columns(layer.gate_bias, d), _columns(layer.conv_bias, d)
        taps = Taps.at({power: np.broadcast_to(v, (d,)) for power, v in layer.taps.items()})
        wires = [
            Cell(
                width=1,
                name=f"layer {number}, {c}",
                delay=0,
                gate=() if layer.source is None else (wires[layer.source[c]],),
                weights=() if layer.source is None else (1,),
                gate_bias=gates[c],
                convolved=wires[c],
                taps=taps.column(c),
                conv_bias=convs[c],
                layer=number,
            )
            for c in range(d)
        ]
    output = Concat(width=d, name="y", parts=tuple(wires), delay=0)
    stop = first + (given if rows is None else rows)
    return Program((x,), output, rows=given, reads=(first, stop), name=name)


def _columns(placed: Placed, d: int) -> list[RowNumber]:
    if not placed:
        return [0] * d
    lo = min(placed)
    hi = max(row + len(array) for row, array in placed.items())
    values = np.zeros((hi - lo, d))
    for row, array in placed.items():
        values[row - lo : row - lo + len(array)] += array
    rows = Rows.of(values, lo)
    return [rows.column(c) for c in range(d)]
