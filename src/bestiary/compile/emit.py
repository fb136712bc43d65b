"""Emission: the cells of an allocated program as the weights of BaseConv layers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from bestiary.compile.cell import Cell, RowNumber
from bestiary.compile.constants import Array, floating
from bestiary.compile.expression import Concat, Read, Value
from bestiary.compile.extent import bounded, needed
from bestiary.compile.program import Program
from bestiary.compile.rows import Rows
from bestiary.mixers.base_conv_layer import BaseConvLayer
from bestiary.mixers.base_conv_stack import BaseConvStack
from bestiary.mixers.filters import ExplicitFilter, Filter
from bestiary.mixers.sparse_weight import SparseWeight
from bestiary.mixers.tap_filter import TapFilter

MOST_POWERS = 16
"""Up to so many different powers in a layer, its filters are applied by moving rows."""


def emit(program: Program) -> BaseConvStack:
    """The stack whose layers are those of an allocated program, in float64."""
    layers = layers_of(program)
    rows = inner_rows(program)
    channels = [channel_of(program, wire) for wire in outputs(program)]
    width = 1 + max([program.width - 1, *(c.channel or 0 for layer in layers for c in layer)])
    first = program.window[0] + (program.output.delay or 0)
    read = program.window[1] - program.window[0]
    return BaseConvStack(
        [layer(program, cells, width, rows) for cells in layers],
        channels,
        inner_length=rows,
        delay=first,
        read_rows=None if read == program.rows else read,
    )


def layers_of(program: Program) -> list[list[Cell]]:
    """The cells of each layer."""
    cells = [value for value in program if isinstance(value, Cell)]
    layers: list[list[Cell]] = [[] for _ in range(max((c.layer or 0 for c in cells), default=0))]
    for cell in cells:
        assert cell.layer is not None
        layers[cell.layer - 1].append(cell)
    return layers


def outputs(program: Program) -> tuple[Value, ...]:
    """The wires that are read."""
    assert isinstance(program.output, Concat)
    return program.output.parts


def channel_of(program: Program, wire: Value) -> int:
    """Where a wire of an allocated program lies."""
    if isinstance(wire, Cell):
        assert wire.channel is not None
        return wire.channel
    assert isinstance(wire, Read)
    return program.offset(wire.x) + wire.picked[0]


def inner_rows(program: Program) -> int:
    """N': the ring, or as many rows as hold every row that is needed of every value."""
    if program.ring is not None:
        return program.ring
    last = max(program.rows, program.window[1] + (program.output.delay or 0))
    need = needed(program)
    for value in program:
        _, stop = bounded(need[id(value)], value.name or "a value")
        last = max(last, stop + (value.delay or 0))
    return last


def layer(program: Program, cells: Sequence[Cell], width: int, rows: int) -> BaseConvLayer:
    """One layer."""
    sources: list[int] = []
    targets: list[int] = []
    weights: list[float] = []
    for cell in cells:
        assert cell.channel is not None
        for wire, weight in zip(cell.gate, cell.weights, strict=True):
            sources.append(channel_of(program, wire))
            targets.append(cell.channel)
            weights.append(float(weight))
    return BaseConvLayer(
        filters(program, cells, width, rows),
        SparseWeight(width, sources, targets, torch.tensor(weights, dtype=torch.float64)),
        bias(program, cells, [cell.gate_bias for cell in cells], width, rows),
        bias(program, cells, [cell.conv_bias for cell in cells], width, rows),
        program.mode,
    )


def filters(program: Program, cells: Sequence[Cell], width: int, rows: int) -> Filter:
    """The filters of a layer: logical powers, and what the delays differ by."""
    powers: list[Array] = []
    at: list[Array] = []
    values: list[Array] = []
    for cell in cells:
        if cell.convolved is None or cell.taps is None:
            continue
        by = (cell.delay or 0) - (cell.convolved.delay or 0)
        taps = cell.taps.shifted(by)
        if program.ring is not None:
            taps = taps.wrapped(program.ring)
        kept = (taps.powers < rows) & (taps.values != 0)
        powers.append(taps.powers[kept])
        at.append(np.full(int(kept.sum()), cell.channel))
        values.append(floating(taps.values[kept]))
    all_powers = np.concatenate(powers) if powers else np.zeros(0, dtype=np.int64)
    all_at = np.concatenate(at) if at else np.zeros(0, dtype=np.int64)
    all_values = np.concatenate(values) if values else np.zeros(0)
    if len(np.unique(all_powers)) <= MOST_POWERS:
        return TapFilter(width, all_powers.tolist(), all_at.tolist(), torch.from_numpy(all_values))
    dense = np.zeros((int(all_powers.max()) + 1, width))
    dense[all_powers, all_at] = all_values
    return ExplicitFilter(torch.from_numpy(dense))


def bias(
    program: Program, cells: Sequence[Cell], given: Sequence[RowNumber], width: int, rows: int
) -> Tensor | None:
    """B1 or B2: (width,) where no row differs, else (rows, width); None for 0."""
    if all(not isinstance(number, Rows) for number in given):
        out = np.zeros(width)
        for cell, number in zip(cells, given, strict=True):
            out[cell.channel] = float(number)  # type: ignore[arg-type]
    else:
        out = np.zeros((rows, width))
        for cell, number in zip(cells, given, strict=True):
            if isinstance(number, Rows):
                delay = cell.delay or 0
                out[:, cell.channel] = floating(number.at(-delay, rows - delay))
            else:
                out[:, cell.channel] = float(number)
    return torch.from_numpy(out) if out.any() else None
