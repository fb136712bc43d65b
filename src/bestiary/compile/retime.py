"""Retiming: where each value lies in the array of a stack, so that no row is read ahead.

Logical row t of a value with delay δ is row t + δ of the array. A causal convolution can only move
rows down, so what a program moves up is had by giving the result a larger delay instead. Additions,
scales and linear maps work row by row: their operands need their own delay. A convolution may add
any delay it likes on the way, and so may the convolution side of a product. See
docs/theory.md, 'BaseConv', on delays.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from bestiary.compile.expression import Constant, Conv, Input, Mul, Shift, Value
from bestiary.compile.extent import Extents, needed
from bestiary.compile.program import Program
from bestiary.compile.taps import shift_by

Delays = dict[int, int | None]
"""By ``id`` of the value; None for constants, which can be had at any delay."""


def retime(program: Program) -> Program:
    """The same program with a delay on every value, the smallest that will do.

    A value that is needed at several delays is moved by convolutions with X^0 that have a larger
    delay than their operand. In a circular program every delay is 0.
    """
    if program.ring is not None:
        return _rebuilt(program, {id(v): 0 for v in program})
    users = _users(program)
    delays = _earliest(program, needed(program))
    _raise(program, delays, users)
    return _rebuilt(program, delays)


def _least_power(value: Value) -> int:
    if isinstance(value, Conv):
        return value.taps.low
    return value.by if isinstance(value, Shift) else 0


def _earliest(program: Program, need: Extents) -> Delays:
    delays: Delays = {}
    for value in program:
        if isinstance(value, Constant):
            delays[id(value)] = None
            continue
        # Rows that are read must be rows of the array, even where they are known to be 0.
        first = program.window[0] if value is program.output else need[id(value)][0]
        # Needed rows must not lie above the array's first row.
        least = -int(first) if math.isfinite(first) else None
        found = [d for d in (delays[id(o)] for o in value.operands) if d is not None]
        if isinstance(value, Input):
            least = 0
        elif found:
            arrived = max(found) - _least_power(value)
            least = arrived if least is None else max(arrived, least)
        else:
            least = None
        delays[id(value)] = least
    if delays[id(program.output)] is None:
        delays[id(program.output)] = max(0, -program.window[0])
    return delays


def _users(program: Program) -> dict[int, list[Value]]:
    users: dict[int, list[Value]] = {id(value): [] for value in program}
    for value in program:
        for operand in value.operands:
            users[id(operand)].append(value)
    return users


def _raise(program: Program, delays: Delays, users: dict[int, list[Value]]) -> None:
    """Give values that can have any larger delay the one that those who use them need."""
    free: dict[int, bool] = {}
    for value in program:
        alone = all(free[id(o)] and len(users[id(o)]) == 1 for o in value.operands)
        free[id(value)] = isinstance(value, Conv | Shift | Constant) or (
            alone and bool(value.operands)
        )
    for value in reversed(program.order):
        mine = delays[id(value)]
        if value is program.output or not free[id(value)] or mine is None:
            continue
        bounds, exact = [], False
        for user in users[id(value)]:
            theirs = delays[id(user)]
            if theirs is None:
                continue
            row_by_row = not isinstance(user, Conv | Shift)
            # A product's convolution side may lag behind; the gate side may not.
            lags = isinstance(user, Mul) and _other_arrives(user, value, delays)
            exact = exact or (row_by_row and not lags)
            bounds.append(theirs + _least_power(user))
        if exact:
            delays[id(value)] = max(mine, min(bounds))


def _other_arrives(product: Mul, value: Value, delays: Delays) -> bool:
    other = product.b if product.a is value else product.a
    return other is not value and delays[id(other)] == delays[id(product)]


def _rebuilt(program: Program, delays: Delays) -> Program:
    made: dict[int, Value] = {}
    moved: dict[tuple[int, int], Value] = {}

    def at(operand: Value, delay: int) -> Value:
        """An operand with exactly this delay."""
        new = made[id(operand)]
        if new.delay is None or new.delay == delay:
            return new
        key = (id(operand), delay)
        if key not in moved:
            moved[key] = Conv(
                width=new.width,
                name=new.name and f"{new.name} late",
                labels=new.labels,
                x=new,
                taps=shift_by(0),
                delay=delay,
            )
        return moved[key]

    for value in program:
        delay = delays[id(value)]
        if delay is None or isinstance(value, Conv | Shift):
            operands = [made[id(o)] for o in value.operands]
        elif isinstance(value, Mul):
            operands = _factors(value, delay, made, at)
        else:
            operands = [at(o, delay) for o in value.operands]
        made[id(value)] = value.remade(operands, delay=delay)
    # An input cannot come later by itself, though rows before its first may be read.
    read = max(delays[id(program.output)] or 0, -program.window[0])
    return replace(
        program,
        inputs=tuple(made[id(value)] for value in program.inputs),
        output=at(program.output, read),
    )


def _factors(
    product: Mul, delay: int, made: dict[int, Value], at: Callable[[Value, int], Value]
) -> list[Value]:
    """Both factors, of which one may arrive early: it will be on the convolution side."""
    a, b = made[id(product.a)], made[id(product.b)]
    arrived = [value.delay is None or value.delay == delay for value in (a, b)]
    if any(arrived):
        return [a, b]
    return [at(product.a, delay), b]
