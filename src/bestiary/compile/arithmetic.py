"""Constants computed from constants: exact where they are, and refused where float64 overflows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np

from bestiary.compile.constants import LARGEST_EXACT, Array, Scalar, alike, check_bits, exact
from bestiary.errors import UserError


@contextmanager
def arithmetic() -> Iterator[None]:
    """For what computes constants: numpy warns of no overflow, and Python's is a ``UserError``.

    An infinity that comes of it is refused where an array or a stack is made of it.
    """
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            yield
    except OverflowError as error:
        if "float" not in str(error):
            raise
        raise _overflow() from None


def combined(combine: Callable[..., Any], *arrays: Any) -> Array:
    """``combine`` of constants; ``UserError`` where it is more than float64 holds.

    Exact where one of them is. Whole numbers are taken as such, which do not wrap around, and stay
    exact where float64 cannot hold them.
    """
    given = alike(*map(np.asarray, arrays))
    whole = all(array.dtype.kind in "iu" for array in given)
    if whole:
        given = tuple(map(exact, given))
    dtype = object if given[0].dtype == object else None
    with np.errstate(over="ignore", invalid="ignore"):
        out = np.asarray(combine(*given), dtype=dtype)
    return _narrowed(out) if whole else held(out)


def total(array: Array) -> Scalar:
    """The sum of all numbers, inf where it overflows."""
    if array.dtype.kind == "f":
        with np.errstate(over="ignore", invalid="ignore"):
            return float(array.sum())
    found: Scalar = sum(array.ravel().tolist())
    return found


def held(array: Array) -> Array:
    """A computed array; ``UserError`` where it is not finite, or exact and of very many digits."""
    if array.dtype == object:
        check_bits(array, "a constant that others multiply to")
    elif not np.isfinite(array).all():
        raise _overflow()
    return array


def of_bounded_size(number: Any) -> Any:
    """A computed number, or row constants; ``UserError`` for an exact one of very many digits."""
    if isinstance(number, int | Fraction):
        held(np.array(number, dtype=object))
    return number


def _narrowed(array: Array) -> Array:
    """Whole numbers in int64 again, where float64 could hold them too."""
    small = all(abs(number) <= LARGEST_EXACT for number in array.ravel().tolist())
    return array.astype(np.int64) if small else held(array)


def _overflow() -> UserError:
    most = np.finfo(float).max
    return UserError(
        f"constants multiply or add up to more than float64 holds, {most:.1e}; scale them down"
    )
