"""Comparisons, choices and calls, which a circuit cannot compute, and what to do instead."""

from __future__ import annotations

from bestiary.errors import UserError

TRACE = (
    "a circuit only adds and multiplies: trace a Python function on bits, with "
    "bestiary.circuits.select, eq_bits or less_bits"
)
LOGIC = (
    "a circuit only adds and multiplies: on bits write a * b for and, a + b - a * b for or, "
    "a + b - 2 * a * b for xor, 1 - a for not"
)

_COMPARES = ("==", "!=", "<", ">", "<=", ">=", "in", "is")
_CHOOSES = ("if", "elif", "else", "?")
_REPEATS = ("for", "while")
_DIVIDES = ("%", "//", "mod")
_ON_BITS = ("&", "|", "~", "!", "and", "or", "not", "xor")
_SHIFTS = ("<<", ">>")
REASONS = {
    **{word: f"{word} compares values; {TRACE}" for word in _COMPARES},
    **{word: f"{word} chooses between values; {TRACE}" for word in _CHOOSES},
    **{word: f"{word} repeats lines; write each, or trace a Python function" for word in _REPEATS},
    **{word: f"{word} rounds or takes a remainder; {TRACE}" for word in _DIVIDES},
    **{word: f"{word} is an operation on bits; {LOGIC}" for word in _ON_BITS},
    **{word: f"{word} moves bits; {TRACE}" for word in _SHIFTS},
}
"""Of signs that are no part of a circuit's text, and of words where an operation is expected."""


def call_of(name: str) -> UserError:
    """The error for a name with ( behind it, which in mathematics may be a product."""
    return UserError(f"{name}(…) calls a function, or lacks a * before its (; {TRACE}")
