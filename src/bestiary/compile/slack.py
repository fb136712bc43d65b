"""Slack: cells in later layers, where that keeps fewer wires for fewer layers.

The earliest layer is best for those that use a cell and often too early for itself: a bias that
only the last layer needs would be carried through all of them. A cell is moved to just before its
first user where its own wire is there for longer than the wires that only it still reads.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate

from bestiary.compile.cell import Cell
from bestiary.compile.expression import Concat, Value
from bestiary.compile.program import Program


def later(program: Program) -> Program:
    """The same scheduled program in as many layers and no more channels."""
    slack = Slack(program)
    before = slack.wires()
    slack.move()
    after = slack.wires()
    better = (max(after), sum(after)) < (max(before), sum(before))
    return slack.program_moved() if better else program


def most_wires(program: Program) -> int:
    """The channels that a scheduled program needs."""
    return max(program.width, *Slack(program).wires())


class Slack:
    """Cells from the last to the first, each moved where that is of use.

    layers: of every wire, inputs 0. readers: for each wire how many cells of each layer read it,
    and the output one layer after the last. claims: how many of them convolve it.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.layers: dict[Value, int] = {}
        self.readers: dict[Value, dict[int, int]] = {}
        self.claims: dict[Value, dict[int, int]] = {}
        for value in program:
            if not isinstance(value, Cell):
                self.layers[value] = 0
                continue
            layer = self.layers[value] = value.layer or 0
            for wire in set(value.operands):
                readers = self.readers.setdefault(wire, {})
                readers[layer] = readers.get(layer, 0) + 1
            if value.convolved is not None:
                claims = self.claims.setdefault(value.convolved, {})
                claims[layer] = claims.get(layer, 0) + 1
        self.last = max(self.layers.values(), default=0)
        assert isinstance(program.output, Concat)
        for wire in set(program.output.parts):
            self.readers.setdefault(wire, {})[self.last + 1] = 1

    def wires(self) -> list[int]:
        """How many there are after each layer from 0 on, as often as the next convolves them."""
        change, copies = [0] * (self.last + 2), [0] * (self.last + 2)
        for wire, readers in self.readers.items():
            change[self.layers[wire]] += 1
            change[max(readers)] -= 1
        for claims in self.claims.values():
            for layer, count in claims.items():
                copies[layer - 1] += count - 1
        there = list(accumulate(change))
        return [there[layer] + copies[layer] for layer in range(self.last + 1)]

    def move(self) -> None:
        """Every cell as late as is of use."""
        for value in reversed(self.program.order):
            if isinstance(value, Cell) and value in self.readers:
                self._move(value)

    def program_moved(self) -> Program:
        """The program with the layers there are now."""
        made: dict[Value, Value] = {}
        for value in self.program:
            operands = [made[operand] for operand in value.operands]
            same = all(a is b for a, b in zip(operands, value.operands, strict=True))
            if not isinstance(value, Cell):
                made[value] = value if same else value.remade(operands)
            elif same and value.layer == self.layers[value]:
                made[value] = value
            else:
                made[value] = value.remade(operands, layer=self.layers[value])
        return replace(self.program, output=made[self.program.output])

    def _move(self, cell: Cell) -> None:
        layer, target = self.layers[cell], self._latest(cell)
        if target <= layer:
            return
        # Wires that would be there for longer, if only this cell still reads them by then.
        cost = 0
        for wire in set(cell.operands):
            readers = self.readers[wire]
            others = max((at for at, n in readers.items() if at != layer or n > 1), default=0)
            cost += max(0, target - max(others, layer))
        if cost > target - layer:
            return
        for wire in set(cell.operands):
            _shift(self.readers[wire], layer, target)
        if cell.convolved is not None:
            _shift(self.claims[cell.convolved], layer, target)
        self.layers[cell] = target

    def _latest(self, cell: Cell) -> int:
        """Just before its first user; a layer earlier where two convolve it at once.

        A wire made by a convolution is in one channel when it is new.
        """
        first = min(self.readers[cell])
        claims = self.claims.get(cell, {}).get(first, 0)
        return first - 1 - (cell.convolved is not None and claims > 1)


def _shift(counts: dict[int, int], before: int, after: int) -> None:
    counts[before] -= 1
    if not counts[before]:
        del counts[before]
    counts[after] = counts.get(after, 0) + 1
