"""Constants of a program as arrays: float64, or exact where they were given exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestiary.compile.sizes import MOST_BITS
from bestiary.errors import UserError

Array = NDArray[Any]
"""float64, or object holding ints and ``Fraction`` s, which numpy adds and multiplies exactly."""

Scalar = float | int | Fraction
LARGEST_EXACT = 2**53
"""Integers up to here are float64 numbers."""


def constant(values: Any, what: str) -> Array:
    """``values`` as an array of finite numbers; exact numbers that float64 cannot hold stay exact.

    what: how an error names the array. ``UserError`` for what is not a number, NaN or infinite.
    """
    array = np.asarray(values)
    if array.dtype == object:
        return _exact(array, what)
    if array.dtype.kind not in "biuf":
        raise UserError(
            f"{what} has entries of type {array.dtype}; real numbers are needed (a complex array "
            "is compiled as pairs of real channels)"
        )
    if array.dtype.kind in "iu" and array.size and np.abs(array).max() > LARGEST_EXACT:
        return array.astype(object)
    given = array
    with np.errstate(over="ignore"):
        array = array.astype(np.float64)
    if not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        at = f" at {place}" if place else ""
        raise UserError(f"{what} has {given[place]!s}{at}; every entry must be finite in float64")
    array.setflags(write=False)
    return array


def _exact(array: Array, what: str) -> Array:
    for place, value in np.ndenumerate(array):
        if not isinstance(value, int | Fraction):
            raise UserError(
                f"{what} has {value!r} at {place}; an exact array holds ints and Fractions alone"
            )
    check_bits(array, what)
    return array


def check_bits(array: Array, what: str) -> None:
    """``UserError`` for exact numbers of more than ``MOST_BITS`` above or below the line."""
    for number in array.ravel().tolist():
        bits = max(number.numerator.bit_length(), number.denominator.bit_length())
        if bits > MOST_BITS:
            raise UserError(
                f"{what} takes {bits:,} bits exactly; up to {MOST_BITS:,} are kept, so scale it "
                "down or use floats"
            )


def exact(array: Array) -> Array:
    """The same numbers as ints and ``Fraction`` s; float64 numbers are fractions, so exactly."""
    if array.dtype == object:
        return array
    out = np.empty(array.shape, dtype=object)
    for place, value in np.ndenumerate(array):
        out[place] = int(value) if float(value).is_integer() else Fraction(float(value))
    return out


def plain(numbers: Array) -> Array:
    """float64 where one of the numbers is, for exact arrays hold ints and Fractions alone.

    ``UserError`` where an exact one beside it is too large for that.
    """
    if numbers.dtype == object and any(isinstance(number, float) for number in numbers.flat):
        return floating(numbers)
    return numbers


def alike(*arrays: Array) -> tuple[Array, ...]:
    """The same numbers, all exact if one array is: a ``Fraction`` times a float is a float."""
    if any(array.dtype == object for array in arrays):
        return tuple(exact(array) for array in arrays)
    return arrays


def floating(array: Array) -> Array:
    """The same numbers in float64; ``UserError`` where an exact one is too large for it."""
    try:
        return array.astype(np.float64)
    except OverflowError:
        raise UserError(
            f"a constant is larger than float64 holds, {np.finfo(float).max:.1e}; scale it down"
        ) from None
