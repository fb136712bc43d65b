"""The constants of a circuit: whole numbers and fractions exactly, others as they are."""

from __future__ import annotations

import cmath
from decimal import Decimal
from fractions import Fraction
from numbers import Complex, Integral, Rational, Real
from typing import Any

import numpy as np

from bestiary.errors import UserError

Number = int | Fraction | float | complex
"""A constant: exact where it was given exactly."""
LONGEST = 80
"""Characters of a value in an error."""


def as_number(value: Any, what: str = "a constant") -> Number:
    """``value`` as a plain Python number; ``UserError`` for NaN, infinities and what is no number.

    Numbers of numpy and of other libraries that declare themselves to ``numbers`` are taken.
    """
    number: Number
    if isinstance(value, np.ndarray) and value.shape == ():
        value = value[()]
    if isinstance(value, Integral | np.bool_):
        number = int(value)
    elif isinstance(value, Decimal) and value.is_finite():
        number = Fraction(value)
    elif isinstance(value, Rational):
        number = Fraction(int(value.numerator), int(value.denominator))
    elif isinstance(value, Real):
        number = float(value)
    elif isinstance(value, Complex):
        number = complex(value)
    else:
        raise UserError(f"{what} is {shown(value)}; a number is needed")
    if isinstance(number, float | complex) and not cmath.isfinite(number):
        raise UserError(f"{what} is {value!r}; a finite number is needed")
    if isinstance(number, Fraction) and number.denominator == 1:
        return int(number)
    return number


def refuse_masked(values: Any, what: str) -> None:
    """``UserError`` for a masked array, of which numpy would read what the mask hides."""
    if np.ma.is_masked(values):
        raise UserError(f"{what} has masked entries; give numbers, such as those of filled(0)")


def shown(value: Any) -> str:
    """``value`` as an error names it: as Python writes it, on one line and not at length."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:
        # Python refuses to write whole numbers of thousands of digits.
        return "a number of too many digits to be shown"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
