"""Allocation: in which channel each wire lies after each layer.

A wire stays from the layer that makes it to the last that reads it: carried in its channel (gate 1,
filter X^0), or copied by the gate side to where it is needed next. A cell that convolves a wire
lies in that wire's channel. So the width is the largest number of wires that are there after any
layer, a wire counting as often as the next layer convolves it.
"""

from __future__ import annotations

from dataclasses import replace

from bestiary.compile.cell import Cell
from bestiary.compile.expression import Concat, Read, Value
from bestiary.compile.program import Program
from bestiary.compile.taps import shift_by


def allocate(program: Program) -> Program:
    """Every cell with a channel, every layer's cells reading the layer before alone.

    The output of the scheduled program lies in the last layer; what is kept over layers is a cell
    of its own in each.
    """
    return Allocator(program).allocated()


class Allocator:
    """Layer by layer, who lies where."""

    def __init__(self, program: Program) -> None:
        self.program = program
        cells = [value for value in program if isinstance(value, Cell)]
        self.layers = max((cell.layer or 0 for cell in cells), default=0) or 1
        self.by_layer: list[list[Cell]] = [[] for _ in range(self.layers + 1)]
        for cell in cells:
            self.by_layer[cell.layer or 0].append(cell)
        self.last: dict[Value, int] = {}
        for layer, members in enumerate(self.by_layer):
            for cell in members:
                for operand in cell.operands:
                    self.last[operand] = max(self.last.get(operand, 0), layer - 1)
        assert isinstance(program.output, Concat)
        self.outputs = program.output.parts
        for wire in self.outputs:
            self.last[wire] = self.layers
        self.convolved: list[dict[Value, int]] = [{} for _ in range(self.layers + 2)]
        for layer, members in enumerate(self.by_layer):
            for cell in members:
                if cell.convolved is not None:
                    counts = self.convolved[layer]
                    counts[cell.convolved] = counts.get(cell.convolved, 0) + 1

    def allocated(self) -> Program:
        """The layers, one after the other."""
        here = self._given()
        for layer in range(1, self.layers + 1):
            here = self._next(layer, here)
        parts = tuple(here[wire][0] for wire in self.outputs)
        output = replace(self.program.output, parts=parts)  # type: ignore[call-arg]
        return replace(self.program, output=output)

    def _given(self) -> dict[Value, list[Value]]:
        return {
            value: [value]
            for value in self.program
            if isinstance(value, Read) and self.last.get(value) is not None
        }

    def _next(self, layer: int, before: dict[Value, list[Value]]) -> dict[Value, list[Value]]:
        """Where every wire is after ``layer``, as cells of that layer."""
        after: dict[Value, list[Value]] = {}
        taken: set[int] = set()
        spare = {wire: list(copies) for wire, copies in before.items()}
        homeless: list[tuple[Value, Cell]] = []
        for cell in self.by_layer[layer]:
            gate = tuple(before[wire][0] for wire in cell.gate)
            wanted = max(1, self.convolved[layer + 1].get(cell, 0)) if layer < self.layers else 1
            if cell.convolved is None:
                homeless += [(cell, replace(cell, gate=gate))] * wanted
                continue
            source = spare[cell.convolved].pop(0)
            channel = channel_of(self.program, source)
            taken.add(channel)
            placed = replace(cell, gate=gate, convolved=source, channel=channel)
            after[cell] = [placed]
        for wire, copies in before.items():
            if self.last[wire] < layer:
                continue
            wanted = max(1, self.convolved[layer + 1].get(wire, 0))
            for _ in range(wanted):
                if spare[wire]:
                    source = spare[wire].pop(0)
                    channel = channel_of(self.program, source)
                    taken.add(channel)
                    carried = _carried(wire, source, layer, channel)
                    after.setdefault(wire, []).append(carried)
                else:
                    homeless.append((wire, _copied(wire, copies[0], layer)))
        free = (channel for channel in range(len(taken) + len(homeless)) if channel not in taken)
        for wire, cell in homeless:
            after.setdefault(wire, []).append(replace(cell, channel=next(free)))
        return after


def _carried(wire: Value, source: Value, layer: int, channel: int) -> Cell:
    """A wire kept in its channel."""
    return Cell(
        width=1,
        name=wire.name,
        delay=wire.delay,
        gate_bias=1,
        convolved=source,
        taps=shift_by(0),
        layer=layer,
        channel=channel,
    )


def _copied(wire: Value, source: Value, layer: int) -> Cell:
    """A wire copied by the gate side."""
    return Cell(
        width=1,
        name=wire.name,
        delay=wire.delay,
        gate=(source,),
        weights=(1,),
        conv_bias=1,
        layer=layer,
    )


def channel_of(program: Program, wire: Value) -> int:
    """Where a wire of an allocated program lies."""
    if isinstance(wire, Cell):
        assert wire.channel is not None
        return wire.channel
    assert isinstance(wire, Read)
    return program.offset(wire.x) + wire.picked[0]
