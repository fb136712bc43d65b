"""Which rows of which channels are worth computing: neither known to be 0, nor never read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bestiary.mixers.evaluation.tables import BiasTable, Ints, LayerTable

FAR = np.int64(1) << 40


@dataclass(frozen=True)
class Windows:
    """For each channel the rows first ≤ t < last; none where last ≤ first."""

    first: Ints
    last: Ints

    @property
    def some(self) -> np.ndarray:
        """The channels that have rows."""
        return self.first < self.last

    def overlap(self, other: Windows) -> Windows:
        """The rows in both."""
        return Windows(np.maximum(self.first, other.first), np.minimum(self.last, other.last))

    def within(self, rows: int) -> Windows:
        """The rows of an array that has so many."""
        return Windows(np.maximum(self.first, 0), np.minimum(self.last, rows))


def nothing(width: int) -> Windows:
    """No rows anywhere."""
    return Windows(np.full(width, FAR), np.full(width, -FAR))


def add_rows(windows: Windows, at: Ints, first: Ints, last: Ints) -> None:
    """Widen the windows of channels ``at`` to hold these rows too, where there are any."""
    some = first < last
    np.minimum.at(windows.first, at[some], first[some])
    np.maximum.at(windows.last, at[some], last[some])


def live_windows(
    tables: Sequence[LayerTable], given: Windows, read: Sequence[int], rows: tuple[int, int]
) -> list[Windows]:
    """What to compute of the input and after each layer, L + 1 in all.

    given: the rows of the input. read, rows: the channels read after the last layer, and their
    rows, (first, after the last).
    """
    supports = [given]
    for table in tables:
        supports.append(_forward(table, supports[-1]))
    wanted = nothing(tables[-1].width)
    at = np.array(list(read), dtype=np.int64)
    add_rows(wanted, at, np.full(len(at), rows[0]), np.full(len(at), rows[1]))
    live = [wanted.overlap(supports[-1])]
    for table, support in zip(reversed(tables), reversed(supports[:-1]), strict=True):
        live.append(_backward(table, live[-1]).overlap(support))
    return live[::-1]


def _forward(table: LayerTable, x: Windows) -> Windows:
    gate, conv = nothing(table.width), nothing(table.width)
    add_rows(gate, table.targets, x.first[table.sources], x.last[table.sources])
    add_rows(conv, table.at, x.first[table.at] + table.powers, x.last[table.at] + table.powers)
    for long in table.long:
        first, last = x.first[long.channels], x.last[long.channels]
        some = first < last
        add_rows(conv, long.channels[some], first[some], last[some] + len(long.taps) - 1)
    _add_bias(gate, table.gate_bias)
    _add_bias(conv, table.conv_bias)
    return _whole(table, gate.overlap(conv).within(table.rows), gate.some & conv.some)


def _backward(table: LayerTable, y: Windows) -> Windows:
    x = nothing(table.width)
    add_rows(x, table.sources, y.first[table.targets], y.last[table.targets])
    some = y.some[table.at]
    at, powers = table.at[some], table.powers[some]
    add_rows(x, at, y.first[at] - powers, y.last[at] - powers)
    for long in table.long:
        own = long.channels[y.some[long.channels]]
        add_rows(x, own, y.first[own] - len(long.taps) + 1, y.last[own])
    return _whole(table, x.within(table.rows), x.some)


def _add_bias(windows: Windows, bias: BiasTable) -> None:
    add_rows(windows, np.arange(len(bias.level)), bias.first, bias.last)


def _whole(table: LayerTable, windows: Windows, some: np.ndarray) -> Windows:
    """In a ring all rows, where there are any."""
    if table.mode == "causal":
        return windows
    return Windows(np.where(some, 0, FAR), np.where(some, table.rows, -FAR))
