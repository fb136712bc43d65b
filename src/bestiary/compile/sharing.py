"""When two values are the same: equal operations on the same operands."""

from __future__ import annotations

from collections.abc import Hashable

from bestiary.compile.constants import Array
from bestiary.compile.expression import (
    Constant,
    Conv,
    Input,
    Linear,
    Pad,
    Read,
    RowScale,
    Shift,
    Value,
)
from bestiary.compile.rows import Rows


def key(value: Value) -> Hashable:
    """Equal for values that are equal because the same is done to the very same operands.

    Names do not count. Inputs are equal to themselves alone.
    """
    if isinstance(value, Input):
        return id(value)
    return (value.operation, tuple(map(id, value.operands)), value.width, *_settings(value))


def _settings(value: Value) -> tuple[Hashable, ...]:
    if isinstance(value, Constant):
        return _of_rows(value.rows)
    if isinstance(value, Linear):
        bias = () if value.bias is None else _of_rows(value.bias)
        return (*_of_array(value.weight), *bias)
    if isinstance(value, RowScale):
        return _of_rows(value.scale)
    if isinstance(value, Conv):
        return (value.taps.powers.tobytes(), *_of_array(value.taps.values))
    if isinstance(value, Shift):
        return (value.by,)
    if isinstance(value, Pad):
        return (value.before,)
    return (value.picked,) if isinstance(value, Read) else ()


def _of_rows(rows: Rows) -> tuple[Hashable, ...]:
    return (rows.start, *_of_array(rows.values), *_of_array(rows.outside))


def _of_array(array: Array) -> tuple[Hashable, ...]:
    exact = array.dtype == object
    return (array.shape, exact, tuple(array.ravel().tolist()) if exact else array.tobytes())
