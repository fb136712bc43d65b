"""The parts of a task's data: how long, how much is asked, how many examples in each split."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from bestiary.errors import UserError, counted
from bestiary.imports import check_options
from bestiary.tasks.protocol import SPLITS, Split


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


S = TypeVar("S", bound="SegmentBase")


class SegmentBase:
    """What the segments of all tasks have: a dataclass with the three counts as its last fields.

    train, validation, test: examples in each split. 0 leaves the segment out of that split (train
    on short, test on long); None takes the task's default.
    """

    example: ClassVar[str]
    """A segment as YAML has it, for sentences about mistakes."""
    thing: ClassVar[str]
    """What an example has a number of, in the singular; "" where each has one."""

    train: int | None
    validation: int | None
    test: int | None

    if TYPE_CHECKING:
        # A field in some and a property in others; a property here would be a field's default.
        @property
        def length(self) -> int:
            """Tokens of an example."""

    @property
    def number(self) -> int:
        """How many things have to be held to be recalled."""
        raise NotImplementedError

    @property
    def asked(self) -> int:
        """How many labels an example has."""
        return self.number

    def examples(self, split: Split) -> int:
        """Examples in ``split``."""
        count: int | None = getattr(self, split)
        return count or 0

    def filled(self, defaults: Mapping[Split, int]) -> Self:
        """The same with a count in each split."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        missing = {split: n for split, n in defaults.items() if given[split] is None}
        return type(self)(**given | missing)

    def __str__(self) -> str:
        """``length 64, 4 pairs``."""
        return setting_text(self.length, self.number, self.thing)

    def check_whole(self, **least: int) -> None:
        """Fields as whole numbers of at least so much, and the counts; ``UserError`` otherwise."""
        for name, bound in least.items():
            object.__setattr__(self, name, whole_number(name, getattr(self, name), bound))
        for split in SPLITS:
            if getattr(self, split) is not None:
                value = whole_number(f"{split} of a segment", getattr(self, split), 0)
                object.__setattr__(self, split, value)


@dataclass(frozen=True)
class Segment(SegmentBase):
    """Examples of one length and one number of pairs, each of which is asked for once.

    length: tokens of an example, even. pairs: key-value pairs; a pair and its query take two tokens
    each, so 4 · pairs is at most length. Counts of examples as ``SegmentBase`` has them.
    """

    example = "{length: 64, pairs: 4}"
    thing = "pair"

    length: int
    pairs: int
    train: int | None = None
    validation: int | None = None
    test: int | None = None

    def __post_init__(self) -> None:
        self.check_whole(pairs=1, length=4)
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

    @property
    def number(self) -> int:
        """The pairs."""
        return self.pairs


def setting_text(length: int | None, number: int | None, thing: str) -> str:
    """``length 64, 4 pairs``; ``length 64`` where nothing is counted."""
    parts = [f"length {length}"] if length is not None else []
    if number is not None and thing:
        parts.append(counted(number, thing))
    return ", ".join(parts) or "length unknown"


def as_segments(given: Any, kind: type[S]) -> tuple[S, ...]:
    """Segments from objects of ``kind`` or mappings of their fields, as YAML gives them."""
    if isinstance(given, (SegmentBase, Mapping)):
        given = (given,)
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise UserError(f"segments is {given!r}; it must be a list such as [{kind.example}]")
    segments = tuple(_as_segment(one, kind) for one in given)
    if not segments:
        raise UserError(f"segments is empty; give at least one, such as {kind.example}")
    return segments


def _as_segment(given: Any, kind: type[S]) -> S:
    if isinstance(given, kind):
        return given
    if not isinstance(given, Mapping):
        raise UserError(f"{given!r} is not a segment (accepted: {kind.example})")
    check_options(kind, given, "a segment")
    for field in fields(kind):  # type: ignore[arg-type]
        if field.default is MISSING and field.name not in given:
            raise UserError(
                f"segment {dict(given)!r} has no {field.name} (accepted: {kind.example})"
            )
    return kind(**given)
