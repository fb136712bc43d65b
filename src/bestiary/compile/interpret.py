"""What a program means: its output computed straight from the definition of each operation.

This is the reference that passes and emitted stacks are checked against, so it shares nothing with
them: no delays, no layers, no fast convolution.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bestiary.compile.cell import Cell, RowNumber
from bestiary.compile.constants import Array, exact, floating
from bestiary.compile.expression import (
    Add,
    Concat,
    Constant,
    Conv,
    Input,
    Linear,
    Mul,
    Pad,
    Read,
    RowScale,
    Shift,
    Value,
)
from bestiary.compile.extent import bounded, demand, support
from bestiary.compile.program import Program
from bestiary.compile.rows import Rows
from bestiary.compile.taps import Taps
from bestiary.errors import UserError


def interpret(program: Program, inputs: Any, *, exactly: bool = False) -> Array:
    """The rows read of the output, (batch, rows read, width) for inputs (batch, N, d).

    (N, d) without a batch gives (rows read, width). exactly: with ints and ``Fraction`` s all
    through, as an object array; float64 otherwise, with infinities and NaN where it overflows.
    ``UserError`` for a wrong shape, and for what is not finite where it is to be exact.
    """
    return Interpretation(program, inputs, exactly=exactly).output


class Interpretation:
    """All values of a program on one batch of inputs; ``of(value, lo, hi)`` gives rows of one."""

    @np.errstate(over="ignore", invalid="ignore")
    def __init__(self, program: Program, inputs: Any, *, exactly: bool = False) -> None:
        self.program = program
        self.exactly = exactly
        array = np.asarray(inputs)
        self.single = array.ndim == 2
        array = array[None] if self.single else array
        if array.ndim != 3 or array.shape[1:] != (program.rows, program.width):
            raise UserError(
                f"an input of shape {np.shape(inputs)} was given to {program.name}; "
                f"(batch, {program.rows}, {program.width}) is needed"
            )
        if exactly and array.dtype.kind == "f" and not np.isfinite(array).all():
            raise UserError(
                f"an input with {array[~np.isfinite(array)][0]} was given to {program.name}; exact "
                "numbers are finite"
            )
        self.inputs = exact(array) if exactly else floating(array)
        self.batch = len(self.inputs)
        self.rows = {
            key: bounded(rows, "a value") for key, rows in demand(program, support(program)).items()
        }
        self.values: dict[int, Array] = {}
        for value in program:
            lo, hi = self.rows[id(value)]
            self.values[id(value)] = self._evaluate(value, lo, hi)

    @property
    def output(self) -> Array:
        """The rows read of the output."""
        found = self.of(self.program.output, *self.program.window)
        return found[0] if self.single else found

    def of(self, value: Value, lo: int, hi: int) -> Array:
        """(batch, hi - lo, width): rows of a value; rows that nothing needs count as 0."""
        array, (start, stop) = self.values[id(value)], self.rows[id(value)]
        if (lo, hi) == (start, stop):
            return array
        if self.program.ring is not None:
            return array[:, np.arange(lo, hi) % self.program.ring]
        out = self._zeros(hi - lo, value.width)
        first, last = max(lo, start), min(hi, stop)
        if first < last:
            out[:, first - lo : last - lo] = array[:, first - start : last - start]
        return out

    def _evaluate(self, value: Value, lo: int, hi: int) -> Array:
        return _EVALUATE[type(value)](self, value, lo, hi)

    def _zeros(self, rows: int, width: int) -> Array:
        out: Array = np.zeros((self.batch, rows, width), dtype=object if self.exactly else float)
        return out

    def _numbers(self, array: Array) -> Array:
        return exact(array) if self.exactly else floating(array)

    def _rows_at(self, rows: Rows, lo: int, hi: int) -> Array:
        ring = self.program.ring
        if ring is None:
            return self._numbers(rows.at(lo, hi))
        # In a ring a row constant is read at the ring's own rows, and none may lie outside of it.
        if len(rows.values) and (rows.start < 0 or rows.stop > ring):
            raise UserError(
                f"a row constant from row {rows.start} to {rows.stop - 1} does not fit into a ring "
                f"of {ring} rows"
            )
        return self._numbers(rows.at(0, ring))[np.arange(lo, hi) % ring]

    def _input(self, value: Input, lo: int, hi: int) -> Array:
        offset, rows = self.program.offset(value), self.program.rows
        given = self.inputs[:, :, offset : offset + value.width]
        out = self._zeros(hi - lo, value.width)
        first, last = max(lo, 0), min(hi, rows)
        if first < last:
            out[:, first - lo : last - lo] = given[:, first:last]
        return out

    def _constant(self, value: Constant, lo: int, hi: int) -> Array:
        return self._zeros(hi - lo, value.width) + self._rows_at(value.rows, lo, hi)

    def _linear(self, value: Linear, lo: int, hi: int) -> Array:
        out = self.of(value.x, lo, hi) @ self._numbers(value.weight)
        return out if value.bias is None else out + self._rows_at(value.bias, lo, hi)

    def _row_scale(self, value: RowScale, lo: int, hi: int) -> Array:
        return self.of(value.x, lo, hi) * self._rows_at(value.scale, lo, hi)

    def _conv(self, value: Conv, lo: int, hi: int) -> Array:
        return self._convolved(value.taps, value.x, lo, hi)

    def _convolved(self, taps: Taps, x: Value, lo: int, hi: int) -> Array:
        out = self._zeros(hi - lo, x.width)
        numbers = self._numbers(taps.values)
        for power, number in zip(taps.powers.tolist(), numbers, strict=True):
            out = out + self.of(x, lo - power, hi - power) * number
        return out

    def _shift(self, value: Shift, lo: int, hi: int) -> Array:
        return self.of(value.x, lo - value.by, hi - value.by)

    def _mul(self, value: Mul, lo: int, hi: int) -> Array:
        return self.of(value.a, lo, hi) * self.of(value.b, lo, hi)

    def _add(self, value: Add, lo: int, hi: int) -> Array:
        out = self.of(value.terms[0], lo, hi)
        for term in value.terms[1:]:
            out = out + self.of(term, lo, hi)
        return out

    def _concat(self, value: Concat, lo: int, hi: int) -> Array:
        return np.concatenate([self.of(part, lo, hi) for part in value.parts], axis=2)

    def _pad(self, value: Pad, lo: int, hi: int) -> Array:
        out = self._zeros(hi - lo, value.width)
        out[:, :, value.before : value.before + value.x.width] = self.of(value.x, lo, hi)
        return out

    def _read(self, value: Read, lo: int, hi: int) -> Array:
        return self.of(value.x, lo, hi)[:, :, list(value.picked)]

    def _cell(self, cell: Cell, lo: int, hi: int) -> Array:
        gate = self._zeros(hi - lo, 1) + self._number(cell.gate_bias, lo, hi)
        for wire, weight in zip(cell.gate, cell.weights, strict=True):
            gate = gate + self.of(wire, lo, hi) * self._numbers(np.asarray(weight))
        conv = self._zeros(hi - lo, 1) + self._number(cell.conv_bias, lo, hi)
        if cell.convolved is not None and cell.taps is not None:
            conv = conv + self._convolved(cell.taps, cell.convolved, lo, hi)
        return gate * conv

    def _number(self, number: RowNumber, lo: int, hi: int) -> Array:
        if isinstance(number, Rows):
            return self._rows_at(number, lo, hi)[:, None]
        return self._numbers(np.asarray(number))


_EVALUATE: Mapping[type, Any] = {
    Input: Interpretation._input,
    Constant: Interpretation._constant,
    Linear: Interpretation._linear,
    RowScale: Interpretation._row_scale,
    Conv: Interpretation._conv,
    Shift: Interpretation._shift,
    Mul: Interpretation._mul,
    Add: Interpretation._add,
    Concat: Interpretation._concat,
    Pad: Interpretation._pad,
    Read: Interpretation._read,
    Cell: Interpretation._cell,
}
