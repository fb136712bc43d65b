"""Slack: cells in later layers, where that keeps fewer wires for fewer layers.

The earliest layer is best for those that use a cell and often too early for itself: a bias that
only the last layer needs would be carried through all of them. A cell is moved to just before its
first user where its own wire is there for longer than the wires that only it still reads.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from bestiary.compile.cell import Cell
from bestiary.compile.expression import Concat, Value
from bestiary.compile.program import Program


def later(program: Program) -> Program:
    """The same scheduled program in as many layers and no more channels."""
    moved = Slack(program).moved()
    return min((moved, program), key=lambda one: (most_wires(one), sum(wires(one))))


def most_wires(program: Program) -> int:
    """The channels that a scheduled program needs."""
    return max(program.width, *wires(program))


def wires(program: Program) -> list[int]:
    """How many wires there are after each layer from 0 on, as often as the next convolves them."""
    use = _uses(program)
    last = max(use.layers.values(), default=0)
    change = [0] * (last + 2)
    extra = [0] * (last + 2)
    for wire, until in use.last.items():
        change[use.layers[wire]] += 1
        change[until] -= 1
        for layer, count in use.claims.get(wire, {}).items():
            extra[layer - 1] += count - 1
    return (np.cumsum(change[: last + 1]) + extra[: last + 1]).tolist()


@dataclass(frozen=True)
class _Uses:
    """layers: of every wire, inputs 0. last: the layer of the last cell that reads each; one after
    the last layer for what is read as output. claims: for each wire, how many cells convolve it in
    each layer.
    """

    layers: dict[Value, int]
    last: dict[Value, int]
    claims: dict[Value, Counter[int]]


def _uses(program: Program) -> _Uses:
    layers: dict[Value, int] = {}
    last: dict[Value, int] = {}
    claims: dict[Value, Counter[int]] = {}
    for value in program:
        layer = value.layer or 0 if isinstance(value, Cell) else 0
        layers[value] = layer
        if not isinstance(value, Cell):
            continue
        for operand in value.operands:
            last[operand] = max(last.get(operand, 0), layer)
        if value.convolved is not None:
            claims.setdefault(value.convolved, Counter())[layer] += 1
    end = max(layers.values(), default=0) + 1
    assert isinstance(program.output, Concat)
    for wire in program.output.parts:
        last[wire] = end
    return _Uses(layers, last, claims)


class Slack:
    """Cells from the last to the first, each moved where that is of use."""

    def __init__(self, program: Program) -> None:
        self.program = program
        found = _uses(program)
        self.layers, self.claims = found.layers, found.claims
        self.readers: dict[Value, Counter[int]] = {}
        for value in program:
            if isinstance(value, Cell):
                for operand in dict.fromkeys(value.operands):
                    self.readers.setdefault(operand, Counter())[self.layers[value]] += 1
        assert isinstance(program.output, Concat)
        end = max(self.layers.values(), default=0) + 1
        for wire in dict.fromkeys(program.output.parts):
            self.readers.setdefault(wire, Counter())[end] += 1

    def moved(self) -> Program:
        """The program with the layers it has then."""
        for value in reversed(self.program.order):
            if isinstance(value, Cell) and value in self.readers:
                self._move(value)
        made: dict[Value, Value] = {}
        for value in self.program:
            operands = [made[operand] for operand in value.operands]
            changes = {"layer": self.layers[value]} if isinstance(value, Cell) else {}
            same = all(a is b for a, b in zip(operands, value.operands, strict=True))
            if same and (not isinstance(value, Cell) or value.layer == self.layers[value]):
                made[value] = value
            else:
                made[value] = value.remade(operands, **changes)
        return replace(self.program, output=made[self.program.output])

    def _move(self, cell: Cell) -> None:
        layer = self.layers[cell]
        target = self._latest(cell)
        if target <= layer:
            return
        # Wires that would be there for longer, if only this cell still reads them by then.
        cost = 0
        for operand in dict.fromkeys(cell.operands):
            others = max((at for at in self.readers[operand] if at != layer), default=0)
            if self.readers[operand][layer] > 1:
                others = max(others, layer)
            cost += max(0, target - max(others, layer))
        if cost > target - layer:
            return
        for operand in dict.fromkeys(cell.operands):
            _shift(self.readers[operand], layer, target)
        if cell.convolved is not None:
            _shift(self.claims[cell.convolved], layer, target)
        self.layers[cell] = target

    def _latest(self, cell: Cell) -> int:
        """Just before its first user; a layer earlier where two convolve it at once.

        A wire made by a convolution is in one channel when it is new.
        """
        first = min(self.readers[cell]) - 1
        if cell.convolved is not None and self.claims.get(cell, Counter())[first + 1] > 1:
            return first - 1
        return first


def _shift(counts: Counter[int], before: int, after: int) -> None:
    counts[before] -= 1
    if not counts[before]:
        del counts[before]
    counts[after] += 1
