"""Where in a file a mistake lies."""

from __future__ import annotations

from collections.abc import Sequence

from bestiary.errors import UserError

LONGEST_COUNT = 18
"""Decimal digits of counts and of the numbers of wires, so that they fit into 64 bits."""


def mistake(where: str, line: int, sentence: object) -> UserError:
    """The error for a line, counted from 1; ``where`` is the file."""
    return UserError(f"{where}, line {line}: {sentence}")


def fields_of(text: str) -> list[tuple[int, list[str]]]:
    """Lines that are not empty, by number, as words; what follows # is left out."""
    lines = ((i, line.partition("#")[0].split()) for i, line in enumerate(text.split("\n"), 1))
    return [(number, fields) for number, fields in lines if fields]


def count_of(text: str) -> int | None:
    """A whole number from 0 on, in ASCII digits and of a length that is sensible; else None."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= LONGEST_COUNT else None


def counts_of(words: Sequence[str]) -> list[int] | None:
    """All of them as whole numbers from 0 on, or None."""
    counts = [count_of(word) for word in words]
    known = [count for count in counts if count is not None]
    return known if len(known) == len(words) else None


def too_long(words: Sequence[str]) -> str | None:
    """A sentence on the first count, maybe within < >, that has too many digits; else None."""
    for word in words:
        digits = word.strip("<>")
        if len(digits) > LONGEST_COUNT and digits.isascii() and digits.isdigit():
            return (
                f"{digits[:LONGEST_COUNT]}… is a number of {len(digits):,} digits; up to "
                f"{LONGEST_COUNT} are read"
            )
    return None
