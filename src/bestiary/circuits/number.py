"""The constants of a circuit: whole numbers and fractions exactly, others as they are."""

from __future__ import annotations

import cmath
from fractions import Fraction
from numbers import Complex, Integral, Rational, Real
from typing import Any

from bestiary.errors import UserError

Number = int | Fraction | float | complex
"""A constant: exact where it was given exactly."""


def as_number(value: Any, what: str = "a constant") -> Number:
    """``value`` as a plain Python number; ``UserError`` for NaN, infinities and what is no number.

    Numbers of numpy and of other libraries that declare themselves to ``numbers`` are taken.
    """
    number: Number
    if isinstance(value, Integral):
        number = int(value)
    elif isinstance(value, Rational):
        number = Fraction(int(value.numerator), int(value.denominator))
    elif isinstance(value, Real):
        number = float(value)
    elif isinstance(value, Complex):
        number = complex(value)
    else:
        raise UserError(f"{what} is {value!r}; a number is needed")
    if isinstance(number, float | complex) and not cmath.isfinite(number):
        raise UserError(f"{what} is {value!r}; a finite number is needed")
    if isinstance(number, Fraction) and number.denominator == 1:
        return int(number)
    return number
