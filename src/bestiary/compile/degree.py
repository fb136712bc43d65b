"""The polynomial degree of a program in its inputs, and the layers that it cannot do without."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestiary.compile.cell import Cell
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
from bestiary.compile.program import Program

Degrees = NDArray[Any]
"""(width,) Python ints: degrees double with every product and outgrow any fixed size."""


def degree(program: Program) -> int:
    """The largest degree of an output channel as the program is written.

    Terms that cancel are counted as if they were there, so the true degree may be less. A channel
    of constants has degree 0, and one that is multiplied by 0 counts as one.
    """
    found: dict[int, Degrees] = {}
    for value in program:
        found[id(value)] = _DEGREES[type(value)](value, found)
    return max(found[id(program.output)].tolist())


def depth_floor(degree: int) -> int | None:
    """⌈log2 degree⌉, the fewest layers for it, each of which at most doubles it.

    Source: docs/theory.md, 'Depth'.

    None for linear maps and constants, of which the degree says nothing.
    """
    return (degree - 1).bit_length() if degree > 1 else None


def _constant(width: int, number: int) -> Degrees:
    out = np.empty(width, dtype=object)
    out[:] = number
    return out


def _linear(value: Linear, found: Mapping[int, Degrees]) -> Degrees:
    inside = np.where(value.weight != 0, found[id(value.x)][:, None], 0)
    return inside.max(axis=0, initial=0)


def _row_scale(value: RowScale, found: Mapping[int, Degrees]) -> Degrees:
    used = np.any(value.scale.values != 0, axis=0) | (value.scale.outside != 0)
    return np.where(used, found[id(value.x)], 0)


def _conv(value: Conv, found: Mapping[int, Degrees]) -> Degrees:
    return np.where(np.any(value.taps.values != 0, axis=0), found[id(value.x)], 0)


def _product(value: Mul, found: Mapping[int, Degrees]) -> Degrees:
    return found[id(value.a)] + found[id(value.b)]


def _add(value: Add, found: Mapping[int, Degrees]) -> Degrees:
    out = found[id(value.terms[0])]
    for term in value.terms[1:]:
        out = np.maximum(out, found[id(term)])
    return out


def _concat(value: Concat, found: Mapping[int, Degrees]) -> Degrees:
    return np.concatenate([found[id(part)] for part in value.parts])


def _pad(value: Pad, found: Mapping[int, Degrees]) -> Degrees:
    out = _constant(value.width, 0)
    out[value.before : value.before + value.x.width] = found[id(value.x)]
    return out


def _cell(cell: Cell, found: Mapping[int, Degrees]) -> Degrees:
    gate = max((found[id(wire)][0] for wire in cell.gate), default=0)
    conv = 0 if cell.convolved is None else found[id(cell.convolved)][0]
    return _constant(1, gate + conv)


_DEGREES: Mapping[type[Value], Callable[[Any, Mapping[int, Degrees]], Degrees]] = {
    Input: lambda value, found: _constant(value.width, 1),
    Constant: lambda value, found: _constant(value.width, 0),
    Linear: _linear,
    RowScale: _row_scale,
    Conv: _conv,
    Shift: lambda value, found: found[id(value.x)],
    Mul: _product,
    Add: _add,
    Concat: _concat,
    Pad: _pad,
    Read: lambda value, found: found[id(value.x)][list(value.picked)],
    Cell: _cell,
}
