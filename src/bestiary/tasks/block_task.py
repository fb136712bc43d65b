"""What tasks that are drawn by blocks have in common: splits, counts, duplicates, streams."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bestiary.errors import UserError
from bestiary.tasks.blocks import Block, BlockCache, by_block
from bestiary.tasks.duplicates import novel
from bestiary.tasks.protocol import IGNORE, SPLITS, Batch, Split, Stream, StreamSegment, as_split
from bestiary.tasks.roles import Token
from bestiary.tasks.segments import SegmentBase, as_segments, whole_number

MOST_TOKENS = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class BlockTask(ABC):
    """A task whose examples are drawn ``BLOCK`` at a time; its config holds these fields too.

    Equal configs yield equal bytes, whatever ran before and in whatever order.

    seed: of the data; every split, segment and block of it has a random stream of its own.
    train_examples, validation_examples, test_examples: for each segment that does not say.
    drop_duplicates: leave out validation examples that are also in train, and test examples that
        are also in train or validation. Needs one pass over those splits.
    cache_bytes: blocks kept in memory, at most. Not part of the config's identity.

    Raises ``UserError`` for a setting that cannot be met.
    """

    segment_kind: ClassVar[type[SegmentBase]]
    least_vocab_size: ClassVar[int]
    answer_follows: ClassVar[bool] = True
    """Whether an answer stands beside what is asked for, as a value after its key."""

    seed: int = 0
    train_examples: int = 100_000
    validation_examples: int = 1_000
    test_examples: int = 3_000
    drop_duplicates: bool = False
    cache_bytes: int = field(default=64 * 2**20, compare=False)

    def __post_init__(self) -> None:
        self._set_whole("vocab_size", self.least_vocab_size, MOST_TOKENS)
        for name in ("seed", "cache_bytes", *(f"{split}_examples" for split in SPLITS)):
            self._set_whole(name, 0)
        if not isinstance(self.drop_duplicates, bool):
            raise UserError(
                f"drop_duplicates is {self.drop_duplicates!r}; it must be true or false"
            )
        defaults = {split: getattr(self, f"{split}_examples") for split in SPLITS}
        given = as_segments(self.segments, self.segment_kind)
        self._set("segments", tuple(segment.filled(defaults) for segment in given))
        self._check_segments()

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _set_whole(self, name: str, least: int, most: int | None = None) -> None:
        self._set(name, whole_number(name, getattr(self, name), least, most))

    def _check_segments(self) -> None:
        for segment in self.segments:
            if not any(segment.examples(split) for split in SPLITS):
                raise UserError(
                    f"the segment of {segment} has no examples in any split; give it at least one"
                )
        for split in SPLITS:
            if not any(segment.examples(split) for segment in self.segments):
                raise UserError(
                    f"there are no {split} examples; {split}_examples must be at least 1"
                )

    @property
    @abstractmethod
    def vocab_size(self) -> int:
        """Tokens and labels are below this."""

    @property
    @abstractmethod
    def segments(self) -> tuple[SegmentBase, ...]:
        """The parts that are mixed in one stream."""

    @property
    @abstractmethod
    def values(self) -> int:
        """From how many tokens an answer is drawn."""

    @abstractmethod
    def chance(self, segment: Any) -> float:
        """The accuracy of guessing among the answers that an example shows."""

    @abstractmethod
    def log10_sequences(self, segment: Any) -> float:
        """log10 of how many token sequences ``segment`` can yield, at the most."""

    @abstractmethod
    def draw(self, split: Split, number: int, block: int) -> Block:
        """Draw block ``block`` of segment number ``number`` of the config, of ``split``."""

    @abstractmethod
    def solve(self, tokens: NDArray[np.int64]) -> NDArray[np.int64]:
        """See ``Task``."""

    @abstractmethod
    def roles(self, batch: Batch, row: int) -> list[Token]:
        """The tokens of example ``row``, each with what it is there for."""

    @property
    def max_length(self) -> int:
        """The longest example over all splits."""
        return max(segment.length for segment in self.segments)

    def stream(self, split: Split) -> BlockStream:
        """The examples of ``split``, by index; nothing is drawn before it is asked for."""
        return BlockStream(self, as_split(split))

    def arrays(self, split: Split, segment: int = 0) -> Batch:
        """All examples of one segment at once, as numpy arrays; segments as ``stream`` has them."""
        stream = self.stream(split)
        return stream.examples(segment, range(stream.segments[segment].examples))

    def of_length(self, tokens: NDArray[np.int64]) -> NDArray[np.int64]:
        """``tokens`` as an array; ``UserError`` for a length that no segment has."""
        tokens = np.asarray(tokens)
        lengths = sorted({segment.length for segment in self.segments})
        if tokens.shape[1] not in lengths:
            accepted = ", ".join(map(str, lengths))
            raise UserError(f"no segment has length {tokens.shape[1]} (accepted: {accepted})")
        return tokens

    @cached_property
    def blocks(self) -> BlockCache:
        """The cache that all streams of this task share."""
        return BlockCache(self.cache_bytes)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "blocks"}


class BlockStream:
    """One split of a task, by index."""

    def __init__(self, task: BlockTask, split: Split) -> None:
        self.task, self.split = task, split
        # Numbers are those of the config, so leaving a segment out of one split moves no other.
        self._numbers = [n for n, s in enumerate(task.segments) if s.examples(split)]

    @cached_property
    def segments(self) -> Sequence[StreamSegment]:
        """The segments that have examples in this split, in the config's order."""
        given = [self.task.segments[number] for number in self._numbers]
        return tuple(
            StreamSegment(
                s.length,
                s.number,
                s.examples(self.split) if kept is None else len(kept),
                self.task.chance(s),
            )
            for s, kept in zip(given, self._kept, strict=True)
        )

    @cached_property
    def _kept(self) -> Sequence[NDArray[np.int64] | None]:
        if not self.task.drop_duplicates or self.split == "train":
            return [None] * len(self._numbers)
        # Without its cache: the copy stays with the memory of what was found.
        return _novel(replace(self.task, drop_duplicates=False, cache_bytes=0), self.split)

    def examples(self, segment: int, indices: NDArray[np.int64] | range) -> Batch:
        """Examples ``indices`` of segment number ``segment``, a ``Batch``; any order, repeats too.

        Raises ``IndexError`` outside the segment's examples.
        """
        size = self.segments[segment].examples
        index = np.asarray(indices, dtype=np.int64)
        if index.size and (index.min() < 0 or index.max() >= size):
            raise IndexError(f"segment {segment} of {self.split} has examples 0 to {size - 1}")
        kept = self._kept[segment]
        return self._gather(self._numbers[segment], index if kept is None else kept[index])

    def _gather(self, number: int, index: NDArray[np.int64]) -> Batch:
        task = self.task
        segment = task.segments[number]
        tokens = np.empty((len(index), segment.length), dtype=np.int64)
        positions, answers = (np.empty((len(index), segment.asked), np.int64) for _ in range(2))
        for block, where, rows in by_block(index):
            key = (SPLITS.index(self.split), number, block)
            drawn = task.blocks.get(key, partial(task.draw, self.split, number, block))
            tokens[where] = drawn.tokens[rows]
            for held, of_block in ((positions, drawn.positions), (answers, drawn.answers)):
                held[where] = of_block[rows] if len(of_block) > 1 else of_block
        labels = np.full(tokens.shape, IGNORE, dtype=np.int64)
        said = np.take_along_axis(tokens, answers, axis=1)
        np.put_along_axis(labels, positions, said, axis=1)
        gap = np.zeros_like(tokens)
        np.put_along_axis(gap, positions, positions - answers + int(task.answer_follows), axis=1)
        info: dict[str, NDArray[np.int64]] = {"gap": gap}
        if segment.thing:
            info[f"{segment.thing}s"] = np.full(len(index), segment.number)
        return Batch(tokens, labels, info)


@lru_cache(maxsize=16)
def _novel(task: BlockTask, split: Split) -> list[NDArray[np.int64]]:
    """Indices, per segment of ``split``, of the examples that no earlier split contains."""
    stream = task.stream(split)
    earlier: list[Stream] = [task.stream(s) for s in SPLITS[: SPLITS.index(split)]]
    kept = novel(stream, earlier)
    given = [segment for segment in task.segments if segment.examples(split)]
    for segment, indices in zip(given, kept, strict=True):
        if not len(indices):
            raise UserError(
                f"all {segment.examples(split)} {split} examples of {segment} are in an earlier "
                "split too, so drop_duplicates leaves none; take a larger vocab_size, longer "
                "examples or fewer train examples"
            )
    return kept
