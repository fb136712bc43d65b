"""Constants as text, exactly: 3, 1/3, 0.1, 1+2j."""

from __future__ import annotations

import re
import sys
from fractions import Fraction

from bestiary.circuits.number import Number, as_number, shown
from bestiary.errors import UserError

MOST_DIGITS = 4000
"""Of whole numbers in decimal digits; Python converts longer ones in hexadecimal alone."""


def write_number(number: Number) -> str:
    """A constant as text that ``read_number`` reads again, of the same type."""
    if isinstance(number, int):
        return str(number) if number.bit_length() < 3 * MOST_DIGITS else hex(number)
    if isinstance(number, Fraction):
        return f"{write_number(number.numerator)}/{write_number(number.denominator)}"
    return repr(number).strip("()")


def read_number(text: str) -> Number:
    """The constant. ``UserError`` for what is none."""
    try:
        return as_number(_number(text))
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        if isinstance(error, UserError):
            raise
        raise UserError(f"{shown(text)} is no number such as 3, 1/3, 0.1 or 1+2j") from None


def _number(text: str) -> Number:
    if text.endswith("j"):
        return complex(text)
    if "/" in text:
        above, _, below = text.partition("/")
        return Fraction(_whole(above), _whole(below))
    if not text.removeprefix("-").startswith("0x") and any(mark in text for mark in ".eEn"):
        return float(text)
    return _whole(text)


def _whole(text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        digits = text.strip().lstrip("+-").replace("_", "")
        most = sys.get_int_max_str_digits()
        if 0 < most < len(digits) and re.fullmatch("[1-9][0-9]*", digits):
            raise UserError(
                f"a whole number has {len(digits):,} decimal digits; up to {most:,} are taken, and "
                "longer numbers in hexadecimal, such as 0xff"
            ) from None
        raise
