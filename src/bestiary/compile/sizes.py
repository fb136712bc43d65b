"""How large a program may be: what is larger is refused before anything is allocated for it."""

from __future__ import annotations

import operator
from typing import Any

from bestiary.errors import UserError

MOST_ROWS = 1 << 22
"""Rows that any value of a program may need, N' among them, and that anything is moved by.

Four times the longest sequences that mixers are trained on; a channel of so many rows is 32 MiB."""

MOST_CHANNELS = 1 << 20
"""Channels of one value."""

MOST_BITS = 1 << 13
"""Of a numerator or a denominator of an exact constant: products of products double them."""


def whole(number: Any, what: str) -> int:
    """A number of rows, or another that has to be whole, as an int; ``UserError`` otherwise."""
    try:
        return operator.index(number)
    except TypeError:
        raise UserError(f"{what} is {number!r}; a whole number is needed") from None


def row(number: Any, what: str) -> int:
    """The number of a row, or of rows to move by; ``UserError`` for one too far away."""
    found = whole(number, what)
    if abs(found) > MOST_ROWS:
        raise UserError(
            f"{what} is {told(found)}; whole numbers from {-MOST_ROWS:,} to {MOST_ROWS:,} are taken"
        )
    return found


def row_count(number: Any, what: str) -> int:
    """A number of rows that are held at once; ``UserError`` for too many."""
    found = whole(number, f"the number of rows of {what}")
    if found > MOST_ROWS:
        raise UserError(f"{what} needs {told(found)} rows; up to {MOST_ROWS:,} can be had")
    return found


def channel_count(number: Any, what: str) -> int:
    """A number of channels; ``UserError`` for too many."""
    found = whole(number, f"the number of channels of {what}")
    if found > MOST_CHANNELS:
        raise UserError(f"{what} has {told(found)} channels; up to {MOST_CHANNELS:,} are taken")
    return found


def told(number: int) -> str:
    """A whole number in digits, or its size where it has very many."""
    sign = "-" if number < 0 else ""
    digits = int(abs(number).bit_length() * 0.30103)
    return f"{number:,}" if digits < 30 else f"about {sign}10^{digits}"
