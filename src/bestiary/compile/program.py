"""A program: what goes in, the value that comes out, and how rows are counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from bestiary.compile.cell import Cell
from bestiary.compile.expression import Constant, Conv, Linear, RowScale, Shift, Value
from bestiary.compile.rows import Rows
from bestiary.compile.sizes import row, row_count
from bestiary.errors import UserError, counted, unknown_name

Mode = Literal["causal", "circular"]
MODES: tuple[Mode, ...] = ("causal", "circular")


@dataclass(frozen=True, repr=False)
class Program:
    """``output`` as a function of ``inputs``.

    inputs: their channels lie beside each other, in this order, in the array that is given. rows:
    N, the rows that are given, 0 to N-1; an input is 0 in all others. reads: the rows of the output
    that are read, (first, after the last); 0 to N unless given. mode: ``causal`` (a row of the
    compiled stack sees no later row of the stack), or ``circular``: rows modulo ``ring`` ≥ N.
    degree: what is known of the polynomial degree of the output in the inputs, at most so much, or
    None. Products of masks and of rows that hold zeros do not add to it: 1 is a linear map, or that
    plus constants, however it is computed.
    """

    inputs: tuple[Value, ...]
    output: Value
    rows: int
    reads: tuple[int, int] | None = None
    mode: Mode = "causal"
    ring: int | None = None
    name: str = "program"
    degree: int | None = None

    def __post_init__(self) -> None:
        self._check_types()
        if row_count(self.rows, "a program") < 1:
            raise UserError(f"a program has {self.rows} rows; it needs at least 1")
        if self.mode not in MODES:
            raise unknown_name("program mode", self.mode, MODES)
        if (self.ring is None) != (self.mode == "causal"):
            raise UserError(
                f"a {self.mode} program has ring {self.ring}; a circular one needs the number of "
                "rows of its ring, a causal one has none"
            )
        if self.ring is not None and row_count(self.ring, "a ring") < self.rows:
            raise UserError(f"a ring of {self.ring} rows cannot hold {self.rows} rows of input")
        first, stop = (row(end, "an end of the rows that are read") for end in self.window)
        if first >= stop or (self.ring is not None and (first < 0 or stop > self.ring)):
            raise UserError(
                f"rows {first} to {stop} of the output cannot be read; give the first row and the "
                "one after the last"
            )
        given = {id(value) for value in self.inputs}
        for value in self.order:
            if value.operation == "input" and id(value) not in given:
                raise UserError(f"the input {value.name} is used but is not among the inputs")

    def _check_types(self) -> None:
        wrong = isinstance(self.inputs, Value) or not isinstance(self.inputs, Iterable)
        others = [] if wrong else [one for one in self.inputs if not isinstance(one, Value)]
        if wrong or others:
            found = others[0] if others else self.inputs
            raise UserError(
                f"the inputs of a program are {_kind(found)}; give a tuple of values: "
                "Program((u,), y, rows=N)"
            )
        if not isinstance(self.output, Value):
            raise UserError(
                f"the output of a program is {_kind(self.output)}; give one value, of several "
                "concat([y, z])"
            )

    @property
    def window(self) -> tuple[int, int]:
        """The rows of the output that are read."""
        return self.reads or (0, self.rows)

    @cached_property
    def order(self) -> tuple[Value, ...]:
        """The inputs, then every value that is needed, operands first, the output last."""
        return tuple(in_order([*self.inputs, self.output]))

    @property
    def width(self) -> int:
        """d, the channels of the input."""
        return sum(value.width for value in self.inputs)

    def offset(self, value: Value) -> int:
        """The channel of the given array at which an input begins."""
        before = 0
        for other in self.inputs:
            if other is value:
                return before
            before += other.width
        raise UserError(f"{value.name} is not an input of {self.name}")

    def __repr__(self) -> str:
        """Its sizes; ``str`` shows every value."""
        ring = f", ring {self.ring}" if self.ring else ""
        return (
            f"<Program {self.name!r}: {self.rows} × {self.width} to "
            f"{counted(self.output.width, 'channel')}, "
            f"{self.mode}{ring}, {len(self)} values>"
        )

    def __iter__(self) -> Iterator[Value]:
        return iter(self.order)

    def __len__(self) -> int:
        return len(self.order)

    def __str__(self) -> str:
        names = {id(value): value.name or f"v{i}" for i, value in enumerate(self.order)}
        ring = f", modulo {self.ring}" if self.ring else ""
        head = f"{self.name}: {counted(self.rows, 'row')}{ring}, {counted(len(self), 'value')}"
        lines = [f"  {names[id(v)]} = {_told(v, names)}" for v in self.order]
        tail = f"  read rows {self.window[0]} to {self.window[1] - 1} of {names[id(self.output)]}"
        return "\n".join([head, *lines, tail])


def _kind(found: object) -> str:
    """What was given in place of a value, shortly: an array may have many entries."""
    return repr(found) if isinstance(found, Value) else f"of type {type(found).__name__}"


def in_order(outputs: Iterable[Value]) -> list[Value]:
    """The values that ``outputs`` are made from, and they, operands first; without recursion."""
    done: dict[int, Value] = {}
    waiting: list[tuple[Value, bool]] = [(value, False) for value in reversed(list(outputs))]
    while waiting:
        value, seen = waiting.pop()
        if id(value) in done:
            continue
        if seen:
            done[id(value)] = value
            continue
        waiting.append((value, True))
        waiting.extend(
            (operand, False) for operand in reversed(value.operands) if id(operand) not in done
        )
    return list(done.values())


def _told(value: Value, names: dict[int, str]) -> str:
    if isinstance(value, Cell):
        return _told_cell(value, names)
    parts = [names[id(operand)] for operand in value.operands]
    if isinstance(value, Linear):
        parts.append(f"{value.weight.shape[0]}×{value.weight.shape[1]}")
        parts += [] if value.bias is None else ["bias"]
    elif isinstance(value, Conv):
        parts.insert(0, repr(value.taps))
    elif isinstance(value, Shift):
        parts.append(f"{value.by:+d}")
    elif isinstance(value, RowScale):
        parts.append(value.scale.told())
    elif isinstance(value, Constant):
        parts.append(value.rows.told())
    delay = "" if value.delay is None else f" @{value.delay}"
    return f"{value.operation}({', '.join(parts)}) [{value.width}]{delay}"


def _told_cell(cell: Cell, names: dict[int, str]) -> str:
    """(2·a + b) ⊙ (X^0 + X^3 * c), with the layer and the channel as far as they are known."""
    gate = [
        names[id(wire)] if weight == 1 else f"{_in_digits(weight)}·{names[id(wire)]}"
        for wire, weight in zip(cell.gate, cell.weights, strict=True)
    ]
    gate += [told for told in [_told_number(cell.gate_bias)] if told]
    conv = [] if cell.convolved is None else [f"({cell.taps}) * {names[id(cell.convolved)]}"]
    conv += [told for told in [_told_number(cell.conv_bias)] if told]
    place = "" if cell.layer is None else f" layer {cell.layer}"
    place += "" if cell.channel is None else f" channel {cell.channel}"
    delay = "" if cell.delay is None else f" @{cell.delay}"
    return f"({' + '.join(gate) or 0}) ⊙ ({' + '.join(conv) or 0}){delay}{place}"


def _told_number(number: object) -> str:
    """A row number: nothing for 0, ``rows`` for one that differs from row to row."""
    if isinstance(number, Rows):
        return number.told()
    return "" if number == 0 else _in_digits(number)


def _in_digits(number: object) -> str:
    """Four digits of a float; ints and fractions in full."""
    return f"{number:.4g}" if isinstance(number, float) else str(number)
