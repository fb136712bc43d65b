"""Which rows of each value can be other than 0, and which are needed."""

from __future__ import annotations

import math

from bestiary.compile.cell import Cell
from bestiary.compile.expression import (
    Constant,
    Conv,
    Input,
    Linear,
    Mul,
    RowScale,
    Shift,
    Value,
)
from bestiary.compile.program import Program
from bestiary.compile.rows import EVERYWHERE, NOWHERE, Interval, Rows, hull, moved, overlap
from bestiary.compile.sizes import row_count
from bestiary.errors import UserError

Extents = dict[int, Interval]
"""By ``id`` of the value."""


def support(program: Program) -> Extents:
    """For each value an interval of rows outside of which it is 0."""
    if program.ring is not None:
        return {id(value): (0, program.ring) for value in program}
    found: Extents = {}
    for value in program:
        found[id(value)] = _support(value, found, program.rows)
    return found


def demand(program: Program, supports: Extents | None = None) -> Extents:
    """For each value the interval of rows that the rows read of the output depend on.

    A row that is known to be multiplied by 0 is not needed. ``UserError`` where a filter would have
    to be summed over infinitely many rows.
    """
    if program.ring is not None:
        return {id(value): (0, program.ring) for value in program}
    supports = supports or support(program)
    found: Extents = {id(value): NOWHERE for value in program}
    found[id(program.output)] = program.window
    for value in reversed(program.order):
        if found[id(value)] == NOWHERE:
            continue
        for operand, rows in _demanded(value, found[id(value)], supports):
            known = found[id(operand)]
            if rows[0] < known[0] or known[1] < rows[1]:
                found[id(operand)] = hull(known, rows)
    return found


def needed(program: Program) -> Extents:
    """The rows of each value that are needed and can be other than 0."""
    supports = support(program)
    demands = demand(program, supports)
    return {key: overlap(rows, supports[key]) for key, rows in demands.items()}


def _support(value: Value, known: Extents, rows: int) -> Interval:
    if isinstance(value, Input):
        return (0, rows)
    if isinstance(value, Constant):
        return value.rows.support
    if isinstance(value, Linear):
        inside = known[id(value.x)]
        return inside if value.bias is None else hull(inside, value.bias.support)
    if isinstance(value, RowScale):
        return overlap(known[id(value.x)], value.scale.support)
    if isinstance(value, Conv):
        return moved(known[id(value.x)], value.taps.low, value.taps.high)
    if isinstance(value, Shift):
        return moved(known[id(value.x)], value.by, value.by)
    if isinstance(value, Mul):
        return overlap(known[id(value.a)], known[id(value.b)])
    if isinstance(value, Cell):
        return _cell_support(value, known)
    inside = NOWHERE
    for operand in value.operands:
        inside = hull(inside, known[id(operand)])
    return inside


def _demanded(value: Value, rows: Interval, supports: Extents) -> list[tuple[Value, Interval]]:
    if isinstance(value, RowScale):
        return [(value.x, overlap(rows, value.scale.support))]
    if isinstance(value, Conv):
        return [(value.x, moved(rows, -value.taps.high, -value.taps.low))]
    if isinstance(value, Shift):
        return [(value.x, moved(rows, -value.by, -value.by))]
    if isinstance(value, Mul):
        return [
            (value.a, overlap(rows, supports[id(value.b)])),
            (value.b, overlap(rows, supports[id(value.a)])),
        ]
    if isinstance(value, Cell):
        return _cell_demanded(value, rows, supports)
    return [(operand, rows) for operand in value.operands]


def _cell_support(cell: Cell, known: Extents) -> Interval:
    return overlap(_gate_support(cell, known), _conv_support(cell, known))


def _gate_support(cell: Cell, known: Extents) -> Interval:
    inside = constant_support(cell.gate_bias)
    # Of very many wires most lie in the same rows.
    for rows in {known[id(wire)] for wire in cell.gate}:
        inside = hull(inside, rows)
    return inside


def _conv_support(cell: Cell, known: Extents) -> Interval:
    inside = constant_support(cell.conv_bias)
    if cell.convolved is not None and cell.taps is not None:
        inside = hull(inside, moved(known[id(cell.convolved)], cell.taps.low, cell.taps.high))
    return inside


def _cell_demanded(cell: Cell, rows: Interval, supports: Extents) -> list[tuple[Value, Interval]]:
    gated = overlap(rows, _conv_support(cell, supports))
    demanded: list[tuple[Value, Interval]] = [(wire, gated) for wire in cell.gate]
    if cell.convolved is not None and cell.taps is not None:
        passed = overlap(rows, _gate_support(cell, supports))
        demanded.append((cell.convolved, moved(passed, -cell.taps.high, -cell.taps.low)))
    return demanded


def constant_support(number: Rows | object) -> Interval:
    """Of a number that is the same in every row, or of ``Rows``."""
    if isinstance(number, Rows):
        return number.support
    return NOWHERE if number == 0 else EVERYWHERE


def bounded(rows: Interval, what: str) -> tuple[int, int]:
    """An interval as ints, (0, 0) for nothing; ``UserError`` where it is endless or too long."""
    if rows[0] >= rows[1]:
        return (0, 0)
    if math.isinf(rows[0]) or math.isinf(rows[1]):
        raise UserError(
            f"{what} is needed in infinitely many rows; give its constants rows (a mask), so that "
            "they end"
        )
    row_count(int(rows[1]) - int(rows[0]), what)
    return int(rows[0]), int(rows[1])
