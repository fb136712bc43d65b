"""Emission: the cells of an allocated program as the weights of BaseConv layers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from bestiary.compile.allocate import channel_of
from bestiary.compile.arithmetic import arithmetic
from bestiary.compile.cell import Cell, RowNumber
from bestiary.compile.constants import floating
from bestiary.compile.expression import Concat, Value
from bestiary.compile.extent import bounded, needed
from bestiary.compile.program import Program
from bestiary.compile.rows import Rows
from bestiary.compile.sizes import row_count
from bestiary.compile.taps import Taps
from bestiary.errors import UserError
from bestiary.mixers.base_conv_layer import BaseConvLayer
from bestiary.mixers.base_conv_stack import BaseConvStack
from bestiary.mixers.filter_parts import FilterParts
from bestiary.mixers.filters import ExplicitFilter, Filter
from bestiary.mixers.sparse_bias import Column, SparseBias
from bestiary.mixers.sparse_weight import SparseWeight
from bestiary.mixers.tap_filter import TapFilter

MOST_POWERS = 16
"""A filter of up to so many taps is applied by moving rows."""


@arithmetic()
def emit(program: Program) -> BaseConvStack:
    """The stack whose layers are those of an allocated program, in float64."""
    layers = layers_of(program)
    rows = inner_rows(program)
    channels = [channel_of(program, wire) for wire in outputs(program)]
    width = 1 + max([program.width - 1, *(c.channel or 0 for layer in layers for c in layer)])
    first = program.window[0] + (program.output.delay or 0)
    read = program.window[1] - program.window[0]
    return BaseConvStack(
        [_finite(layer(program, cells, width, rows), i + 1) for i, cells in enumerate(layers)],
        channels,
        inner_length=rows,
        delay=first,
        read_rows=None if read == program.rows else read,
    )


def _finite(made: BaseConvLayer, number: int) -> BaseConvLayer:
    """The layer; ``UserError`` where constants that were folded into one another overflow."""
    for name, values in made.named_parameters():
        if not torch.isfinite(values).all():
            raise UserError(
                f"the {name} of layer {number} would not be finite: constants multiply to more "
                f"than float64 holds, {torch.finfo(torch.float64).max:.1e}; scale them down"
            )
    return made


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


def inner_rows(program: Program) -> int:
    """N': the ring, or as many rows as hold every row that is needed of every value.

    ``UserError`` for more than ``MOST_ROWS``.
    """
    if program.ring is not None:
        return program.ring
    last = max(program.rows, program.window[1] + (program.output.delay or 0))
    need = needed(program)
    for value in program:
        _, stop = bounded(need[id(value)], value.name or "a value")
        last = max(last, stop + (value.delay or 0))
    return row_count(last, f"the array of {program.name}")


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
            weights.append(float(floating(np.asarray(weight))))
    return BaseConvLayer(
        filters(program, cells, width, rows),
        SparseWeight(width, sources, targets, torch.tensor(weights, dtype=torch.float64)),
        bias(program, cells, [cell.gate_bias for cell in cells], width, rows),
        bias(program, cells, [cell.conv_bias for cell in cells], width, rows),
        program.mode,
    )


def filters(program: Program, cells: Sequence[Cell], width: int, rows: int) -> Filter:
    """The filters of a layer: logical powers, and what the delays differ by.

    A filter of many taps is dense and convolved as one, the others move rows.
    """
    few: list[tuple[int, Taps]] = []
    dense: list[tuple[int, Taps]] = []
    for cell in cells:
        if cell.convolved is None or cell.taps is None:
            continue
        assert cell.channel is not None
        taps = cell.taps.shifted((cell.delay or 0) - (cell.convolved.delay or 0))
        if program.ring is not None:
            taps = taps.wrapped(program.ring)
        kept = (taps.powers < rows) & (taps.values != 0)
        taps = Taps(taps.powers[kept], floating(taps.values[kept]))
        (few if len(taps.powers) <= MOST_POWERS else dense).append((cell.channel, taps))
    if not dense:
        return tap_filter(width, few)
    parts: list[Filter] = [dense_filter([taps for _, taps in dense])]
    at = [[channel for channel, _ in dense]]
    if few:
        parts.append(tap_filter(len(few), [(i, taps) for i, (_, taps) in enumerate(few)]))
        at.append([channel for channel, _ in few])
    return FilterParts(width, parts, at)


def tap_filter(channels: int, filters: Sequence[tuple[int, Taps]]) -> TapFilter:
    """Filters of a few taps each, by channel."""
    counts = [len(taps.powers) for _, taps in filters]
    at = np.repeat(np.array([channel for channel, _ in filters], dtype=np.int64), counts)
    powers = np.concatenate([np.zeros(0, dtype=np.int64), *(taps.powers for _, taps in filters)])
    values = np.concatenate([np.zeros(0), *(taps.values for _, taps in filters)])
    return TapFilter(
        channels, torch.from_numpy(powers), torch.from_numpy(at), torch.from_numpy(values)
    )


def dense_filter(filters: Sequence[Taps]) -> ExplicitFilter:
    """Filters of many taps, one a channel."""
    dense = np.zeros((max(taps.high for taps in filters) + 1, len(filters)))
    for i, taps in enumerate(filters):
        dense[taps.powers, i] = taps.values
    return ExplicitFilter(torch.from_numpy(dense))


def bias(
    program: Program, cells: Sequence[Cell], given: Sequence[RowNumber], width: int, rows: int
) -> SparseBias | None:
    """B1 or B2; None for 0."""
    columns: dict[int, Column] = {}
    for cell, number in zip(cells, given, strict=True):
        assert cell.channel is not None
        if not isinstance(number, Rows):
            if number != 0:
                columns[cell.channel] = float(floating(np.asarray(number)))
            continue
        delay = cell.delay or 0
        column = floating(number.at(-delay, rows - delay))
        same = bool(np.all(column == column[0]))
        columns[cell.channel] = float(column[0]) if same else column
    return SparseBias.of(width, rows, columns) if columns else None
