"""How often each channel of each value is used."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestiary.compile.expression import Concat, Linear, Pad, Read, Value
from bestiary.compile.program import Program

Uses = dict[int, NDArray[np.int64]]
"""By ``id`` of the value, a number a channel."""


def uses_of(program: Program) -> Uses:
    """For each channel, of how many channels of other values it is a part, or read as output.

    A value that only hands channels on (``Read``, ``Concat``, ``Pad``) does not count itself.
    """
    uses: Uses = {id(value): np.zeros(value.width, dtype=np.int64) for value in program}
    uses[id(program.output)] += 1
    for value in reversed(program.order):
        _count(value, uses[id(value)], uses)
    return uses


def _count(value: Value, mine: NDArray[np.int64], uses: Uses) -> None:
    if isinstance(value, Read):
        np.add.at(uses[id(value.x)], list(value.picked), mine)
    elif isinstance(value, Concat):
        first = 0
        for part in value.parts:
            uses[id(part)] += mine[first : first + part.width]
            first += part.width
    elif isinstance(value, Pad):
        uses[id(value.x)] += mine[value.before : value.before + value.x.width]
    elif isinstance(value, Linear):
        uses[id(value.x)] += np.count_nonzero(value.weight[:, mine > 0], axis=1)
    else:
        for operand in value.operands:
            uses[id(operand)] += mine > 0


def alive_channels(program: Program) -> dict[int, int]:
    """For each value how many channels that were made by then, its own among them, are used later.

    By ``id`` of the value.
    """
    until = {id(operand): i for i, value in enumerate(program) for operand in value.operands}
    until[id(program.output)] = len(program)
    ending = [0] * (len(program) + 1)
    alive, found = 0, {}
    for i, value in enumerate(program):
        alive += value.width - ending[i]
        ending[until.get(id(value), i + 1)] += value.width
        found[id(value)] = alive
    return found
