"""The parts of an MQAR task: how long, how many pairs, how many examples in each split."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from bestiary.errors import UserError
from bestiary.imports import check_options
from bestiary.tasks.protocol import Split


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """``value`` as an int from ``least`` to ``most``; ``UserError`` naming it otherwise."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise UserError(f"{name} is {value!r}; it must be a whole number")
    whole = int(value)
    if whole < least:
        raise UserError(f"{name} is {whole}; it must be at least {least}")
    if most is not None and whole > most:
        raise UserError(f"{name} is {whole}; it must be at most {most}")
    return whole


@dataclass(frozen=True)
class Segment:
    """Examples of one length and one number of pairs.

    length: tokens of an example, even. pairs: key-value pairs, each asked for once; a pair and its
    query take two tokens each, so 4 · pairs is at most length.
    train, validation, test: examples in each split. 0 leaves the segment out of that split (train
    on short, test on long); None takes the task's default.
    """

    length: int
    pairs: int
    train: int | None = None
    validation: int | None = None
    test: int | None = None

    def __post_init__(self) -> None:
        for name, least in (("pairs", 1), ("length", 4)):
            value = whole_number(name, getattr(self, name), least)
            object.__setattr__(self, name, value)
        if self.length % 2:
            raise UserError(
                f"length is {self.length}; it must be even, for pairs and queries take two tokens"
            )
        if 4 * self.pairs > self.length:
            raise UserError(
                f"{self.pairs} pairs do not fit in length {self.length}; with their queries they "
                f"take 4 tokens each (accepted: at most {self.length // 4} pairs, or a length of "
                f"at least {4 * self.pairs})"
            )
        for name in ("train", "validation", "test"):
            if getattr(self, name) is not None:
                value = whole_number(f"{name} of a segment", getattr(self, name), 0)
                object.__setattr__(self, name, value)

    def examples(self, split: Split) -> int:
        """Examples in ``split``."""
        count: int | None = getattr(self, split)
        return count or 0


def as_segments(given: Any) -> tuple[Segment, ...]:
    """Segments from ``Segment`` objects or mappings of their fields, as YAML gives them."""
    if isinstance(given, (Segment, Mapping)):
        given = (given,)
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise UserError(
            f"segments is {given!r}; it must be a list such as [{{length: 64, pairs: 4}}]"
        )
    segments = tuple(_as_segment(one) for one in given)
    if not segments:
        raise UserError("segments is empty; give at least one, such as {length: 64, pairs: 4}")
    return segments


def _as_segment(given: Any) -> Segment:
    if isinstance(given, Segment):
        return given
    if not isinstance(given, Mapping):
        raise UserError(f"{given!r} is not a segment (accepted: {{length: 64, pairs: 4}})")
    check_options(Segment, given, "a segment")
    for name in ("length", "pairs"):
        if name not in given:
            raise UserError(
                f"segment {dict(given)!r} has no {name} (accepted: {{length: 64, pairs: 4}})"
            )
    return Segment(**given)
