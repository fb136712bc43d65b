"""The words of a line: numbers, names and signs."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bestiary.circuits.files.mistake import too_long
from bestiary.circuits.files.refusals import REASONS
from bestiary.circuits.number import shown
from bestiary.errors import UserError

WORD = re.compile(
    r"""(?:(?P<number>0[xX][0-9a-fA-F]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?j?)
    |(?P<name>[^\W\d]\w*)
    |(?P<quoted>"(?:[^"\\]|\\.)*")
    |(?P<foreign>->|=>|[=!<>]=|<<|>>|//|[<>%&|~!?])
    |(?P<sign>\*\*|[-+*/^()\[\],=]))\s*""",
    re.VERBOSE,
)
INDEX = re.compile(r"[0-9]{1,18}")

Reference = tuple[str, tuple[int, ...]]
"""A name, and the index of an entry; () for what is no array."""


@dataclass(frozen=True, slots=True)
class Word:
    """kind: number, name (its text without quotes), or sign."""

    kind: str
    text: str

    def __str__(self) -> str:
        return quoted(self.text) if self.kind == "name" else self.text


def sign(text: str) -> Word:
    """A sign, to compare with."""
    return Word("sign", text)


def words_of(line: str) -> list[Word]:
    """The words of a line, up to #."""
    words: list[Word] = []
    at = len(line) - len(line.lstrip())
    while at < len(line) and line[at] != "#":
        found = WORD.match(line, at)
        kind = "foreign" if found is None else str(found.lastgroup)
        text = line[at] if found is None else found[kind]
        if found is None or kind == "foreign":
            unknown = f"{text!r} is no part of a name, a number or an operation"
            raise UserError(REASONS.get(text, unknown))
        if kind == "quoted":
            kind, text = "name", _unquoted(text)
        elif text == "^":
            text = "**"
        words.append(Word(kind, text))
        at = found.end()
    return words


def quoted(name: str) -> str:
    """A name as it is written: as it is where it is a word, otherwise in quotes."""
    plain = WORD.match(name)
    return name if plain and plain["name"] == name else json.dumps(name, ensure_ascii=False)


def spelled(words: Sequence[Word]) -> str:
    """Words as a person would write them in a line."""
    text = ""
    for word in words:
        close = word.kind == "sign" and word.text in (")", "[", "]", ",")
        text += ("" if not text or close or text[-1] in "([" else " ") + str(word)
    return text


def written(reference: Reference) -> str:
    """A reference as it is written."""
    name, index = reference
    return quoted(name) + (f"[{','.join(map(str, index))}]" if index else "")


def index_at(words: Sequence[Word], at: int) -> tuple[tuple[int, ...], int]:
    """The numbers in brackets at a place, () where there are none; the place behind them."""
    if words[at : at + 1] != [sign("[")]:
        return (), at
    numbers: list[int] = []
    while True:
        number, mark = words[at + 1 : at + 2], words[at + 2 : at + 3]
        if not number or not INDEX.fullmatch(number[0].text):
            long = too_long([word.text for word in number])
            raise UserError(long or "a whole number is expected within [ ]")
        numbers.append(int(number[0].text))
        at += 2
        if mark == [sign("]")]:
            return tuple(numbers), at + 1
        if mark != [sign(",")]:
            raise UserError(f"a comma or ] is expected behind {number[0]} within [ ]")


def _unquoted(text: str) -> str:
    try:
        name: str = json.loads(text)
    except ValueError:
        raise UserError(f"{shown(text)} is no name in quotes") from None
    return name
