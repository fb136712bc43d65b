"""Exact programs: where one constant is an int or a ``Fraction``, all of them are.

numpy multiplies a ``Fraction`` by a float in floating point, so a pass that folds constants of both
kinds into one another would lose what an exact constant is for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from bestiary.compile.constants import Array, exact
from bestiary.compile.expression import Constant, Conv, Linear, RowScale, Value
from bestiary.compile.program import Program
from bestiary.compile.rows import Rows
from bestiary.compile.taps import Taps


def exact_throughout(program: Program) -> Program:
    """The same program, every constant exact if any is; floats are fractions, so none changes."""
    if not any(array.dtype == object for value in program for array in _arrays(value)):
        return program
    made: dict[int, Value] = {}
    for value in program:
        operands = [made[id(operand)] for operand in value.operands]
        made[id(value)] = value.remade(operands, **_exact_settings(value))
    return replace(
        program,
        inputs=tuple(made[id(value)] for value in program.inputs),
        output=made[id(program.output)],
    )


def _arrays(value: Value) -> Iterator[Array]:
    for setting in _settings(value).values():
        if isinstance(setting, Rows):
            yield from (setting.values, setting.outside)
        else:
            yield setting.values if isinstance(setting, Taps) else setting


def _settings(value: Value) -> dict[str, Any]:
    if isinstance(value, Constant):
        return {"rows": value.rows}
    if isinstance(value, Linear):
        bias = {} if value.bias is None else {"bias": value.bias}
        return {"weight": value.weight, **bias}
    if isinstance(value, RowScale):
        return {"scale": value.scale}
    return {"taps": value.taps} if isinstance(value, Conv) else {}


def _exact_settings(value: Value) -> dict[str, Any]:
    return {name: _exact(setting) for name, setting in _settings(value).items()}


def _exact(setting: Any) -> Any:
    if isinstance(setting, Rows):
        return Rows(setting.start, exact(setting.values), exact(setting.outside))
    if isinstance(setting, Taps):
        return Taps(setting.powers, exact(setting.values))
    return exact(setting)
