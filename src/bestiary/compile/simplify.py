"""Simplification: fewer operations for the same array, and nothing that is not needed."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from bestiary.compile.arithmetic import arithmetic
from bestiary.compile.exactness import exact_throughout
from bestiary.compile.expression import Add, Constant, Input, Value
from bestiary.compile.extent import needed
from bestiary.compile.folding import fold, zero
from bestiary.compile.program import Program
from bestiary.compile.sharing import key

MOST_ROUNDS = 8
"""A fold can make room for another; programs that people write need two or three rounds."""


@arithmetic()
def simplify(program: Program) -> Program:
    """The same program with equal values shared and steps folded into one another.

    linear ∘ linear, filter ∘ filter and scale ∘ scale become one; constants are computed; what is 0
    in every row that is needed becomes 0; what nothing needs is gone. Arrays are multiplied in
    float64, so that results may differ in their last digits, unless the program has an exact
    constant: then all are.
    """
    program = exact_throughout(program)
    for _ in range(MOST_ROUNDS):
        done = _round(program)
        unchanged = _unchanged(done, program)
        program = done
        if unchanged:
            break
    # A fold makes numbers of its own (2x of x + x).
    return exact_throughout(program)


def _round(program: Program) -> Program:
    uses: dict[int, int] = {}
    added: set[int] = set()
    for value in program:
        for operand in value.operands:
            uses[id(operand)] = uses.get(id(operand), 0) + 1
        if isinstance(value, Add):
            added.update(map(id, value.operands))
    empty = _empty(program)
    made: dict[int, Value] = {}
    shared: dict[Hashable, Value] = {}
    counts: dict[int, int] = {}

    def once(value: Value) -> bool:
        return counts.get(id(value), 0) == 1

    for value in program:
        operands = [made[id(o)] for o in value.operands]
        same = all(new is old for new, old in zip(operands, value.operands, strict=True))
        new = value if same else value.remade(operands)
        if id(value) in empty:
            new = zero(value)
        # A sum that is only added to others is folded with them, or long chains would take hours.
        inner = isinstance(value, Add) and id(value) in added and uses[id(value)] == 1
        folded = None if inner else fold(new, once, program.ring)
        new = new if folded is None else _renamed(folded, value)
        new = shared.setdefault(key(new), new)
        made[id(value)] = new
        # A value made of several equal ones has the uses of all of them.
        counts[id(new)] = counts.get(id(new), 0) + uses.get(id(value), 0)
    return replace(program, output=made[id(program.output)])


def _empty(program: Program) -> set[int]:
    """Values that are 0 wherever they are needed."""
    if program.ring is not None:
        return set()
    need = needed(program)
    return {
        id(value)
        for value in program
        if not isinstance(value, Input | Constant) and need[id(value)][0] >= need[id(value)][1]
    }


def _renamed(folded: Value, value: Value) -> Value:
    """A new value takes the name of the one it stands for; one that was there keeps its own."""
    if not value.name or folded.name or isinstance(folded, Input):
        return folded
    if any(folded is operand for operand in value.operands):
        return folded
    return replace(folded, name=value.name, labels=value.labels)


def _unchanged(one: Program, other: Program) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))
