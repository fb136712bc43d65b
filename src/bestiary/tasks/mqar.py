"""Multi-query associative recall (MQAR): pairs first, then every key once more among filler.

With two pairs in 16 tokens, and filler left out::

    token    k1  v1  k2  v2   .   .  k2   .   .   .   .   .  k1   .   .   .
    label                            v2                      v1

Where a key comes again the model must say its value. Arora et al., 2023 (arXiv 2312.04927).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from math import isfinite
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from bestiary.errors import UserError, unknown_name
from bestiary.tasks.blocks import BLOCK, Block, BlockCache, by_block
from bestiary.tasks.duplicates import novel
from bestiary.tasks.protocol import IGNORE, SPLITS, Batch, Split, Stream, StreamSegment, as_split
from bestiary.tasks.reading import read
from bestiary.tasks.sampling import avoiding, by_power_law, distinct, uniform
from bestiary.tasks.seeding import Words
from bestiary.tasks.segments import Segment, as_segments, whole_number

Filler = Literal["random", "none", "any"]

KEYS, VALUES, GAPS, FILLER = range(4)
"""What a block draws, each from words of its own: another filler leaves the pairs as they were."""


@dataclass(frozen=True)
class MQAR:
    """Multi-query associative recall: pairs first, then every key once more among filler.

    Equal configs yield equal bytes, whatever ran before and in whatever order.

    vocab_size: tokens. 0 is the blank, 1 … V/2 − 1 are keys, V/2 … V − 1 are values.
    segments: (length, pairs) mixed in one stream; mappings of ``Segment``'s fields will do.
    power_a: the gap, in pairs of tokens from the end of the context, is i with p ∝ i^(power_a − 1),
        drawn without replacement; 1 is uniform, the paper has 0.01.
    filler: what stands between queries. ``random``: any token but the example's own keys.
        ``none``: 0. ``any``: any token, keys too, as published; some filler then looks like a query
        that is not scored (`bestiary data mqar --filler any --stats` measures how much).
    seed: of the data; every split, segment and block of it has a random stream of its own.
    train_examples, validation_examples, test_examples: for each segment that does not say.
    drop_duplicates: leave out validation examples that are also in train, and test examples that
        are also in train or validation. Needs one pass over those splits.
    cache_bytes: blocks kept in memory, at most. Not part of the config's identity.

    Raises ``UserError`` for a setting that cannot be met.
    """

    vocab_size: int = 8192
    segments: tuple[Segment, ...] = (Segment(64, 4),)
    power_a: float = 0.01
    filler: Filler = "random"
    seed: int = 0
    train_examples: int = 100_000
    validation_examples: int = 1_000
    test_examples: int = 3_000
    drop_duplicates: bool = False
    cache_bytes: int = field(default=64 * 2**20, compare=False)

    def __post_init__(self) -> None:
        for name, least in (("vocab_size", 4), ("seed", 0), ("cache_bytes", 0)):
            most = 2**31 - 1 if name == "vocab_size" else None
            self._set(name, whole_number(name, getattr(self, name), least, most))
        for split in SPLITS:
            name = f"{split}_examples"
            self._set(name, whole_number(name, getattr(self, name), 0))
        if self.filler not in get_args(Filler):
            raise unknown_name("filler", str(self.filler), get_args(Filler))
        if not isinstance(self.drop_duplicates, bool):
            raise UserError(
                f"drop_duplicates is {self.drop_duplicates!r}; it must be true or false"
            )
        power = self.power_a
        if isinstance(power, bool) or not isinstance(power, (int, float)):
            raise UserError(f"power_a is {power!r}; it must be a number above 0")
        if not (power > 0 and isfinite(power)):
            raise UserError(f"power_a is {power}; it must be a number above 0 (the paper has 0.01)")
        self._set("power_a", float(power))
        defaults = {split: getattr(self, f"{split}_examples") for split in SPLITS}
        self._set("segments", tuple(_filled(s, defaults) for s in as_segments(self.segments)))
        self._check_sizes()

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _check_sizes(self) -> None:
        for segment in self.segments:
            if segment.pairs > self.keys:
                raise UserError(
                    f"{segment.pairs} pairs need as many distinct keys, but a vocabulary of "
                    f"{self.vocab_size} has {self.keys} (accepted: at most {self.keys} pairs, or "
                    f"vocab_size of at least {2 * segment.pairs + 2})"
                )
            if not any(segment.examples(split) for split in SPLITS):
                raise UserError(
                    f"the segment of length {segment.length} and {segment.pairs} pairs has no "
                    "examples in any split; give it at least one"
                )
        for split in SPLITS:
            if not any(segment.examples(split) for segment in self.segments):
                raise UserError(
                    f"there are no {split} examples; {split}_examples must be at least 1"
                )

    @property
    def keys(self) -> int:
        """Tokens that can be keys: 1 … V/2 − 1."""
        return self.vocab_size // 2 - 1

    @property
    def values(self) -> int:
        """Tokens that can be values: V/2 … V − 1."""
        return self.vocab_size - self.vocab_size // 2

    @property
    def max_length(self) -> int:
        """The longest example over all splits."""
        return max(segment.length for segment in self.segments)

    def stream(self, split: Split) -> MQARStream:
        """The examples of ``split``, by index; nothing is drawn before it is asked for."""
        return MQARStream(self, as_split(split))

    def arrays(self, split: Split, segment: int = 0) -> Batch:
        """All examples of one segment at once, as numpy arrays; segments as ``stream`` has them."""
        stream = self.stream(split)
        return stream.examples(segment, range(stream.segments[segment].examples))

    def solve(self, tokens: NDArray[np.int64]) -> NDArray[np.int64]:
        """Labels (batch, length) read off the tokens alone.

        Every later occurrence of a key of the context is answered with the value beside it there;
        under ``any`` that includes filler which looks like a query. Where segments share a length,
        an example has the largest number of pairs that it reads as. Raises ``UserError`` for a
        length that no segment has.
        """
        tokens = np.asarray(tokens)
        counts = {s.pairs for s in self.segments if s.length == tokens.shape[1]}
        if not counts:
            lengths = ", ".join(str(n) for n in sorted({s.length for s in self.segments}))
            raise UserError(f"no segment has length {tokens.shape[1]} (accepted: {lengths})")
        return read(tokens, sorted(counts), self.vocab_size // 2)

    @cached_property
    def blocks(self) -> BlockCache:
        """The cache that all streams of this task share."""
        return BlockCache(self.cache_bytes)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "blocks"}

    def draw(self, split: Split, number: int, block: int) -> Block:
        """Draw block ``block`` of segment number ``number`` of the config, of ``split``."""
        segment = self.segments[number]
        key = (SPLITS.index(split), number, block)
        words = [Words(self.seed, *key, part) for part in (KEYS, VALUES, GAPS, FILLER)]
        length, pairs = segment.length, segment.pairs
        context = 2 * pairs
        keys = 1 + distinct(words[KEYS], self.keys, BLOCK, pairs)
        values = self.vocab_size // 2 + distinct(words[VALUES], self.values, BLOCK, pairs)
        gaps = by_power_law(words[GAPS], self.power_a, length // 2 - pairs, BLOCK, pairs)
        positions = (context + 2 * gaps).astype(np.int32)
        tokens = np.zeros((BLOCK, length), dtype=np.min_scalar_type(self.vocab_size - 1))
        tokens[:, 0:context:2], tokens[:, 1:context:2] = keys, values
        rest = length - context
        if self.filler == "random":
            tokens[:, context:] = avoiding(words[FILLER], self.vocab_size, keys, rest)
        elif self.filler == "any":
            tokens[:, context:] = uniform(words[FILLER], self.vocab_size, BLOCK, rest)
        np.put_along_axis(tokens, positions, keys.astype(tokens.dtype), axis=1)
        return Block(tokens, positions)


def _filled(segment: Segment, defaults: dict[Split, int]) -> Segment:
    missing = {s: n for s, n in defaults.items() if getattr(segment, s) is None}
    return replace(segment, **missing)


class MQARStream:
    """One split of a task, by index."""

    def __init__(self, task: MQAR, split: Split) -> None:
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
                s.pairs,
                s.examples(self.split) if kept is None else len(kept),
                1 / s.pairs,
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
        length, pairs = task.segments[number].length, task.segments[number].pairs
        tokens = np.empty((len(index), length), dtype=np.int64)
        positions = np.empty((len(index), pairs), dtype=np.int64)
        for block, where, rows in by_block(index):
            key = (SPLITS.index(self.split), number, block)
            drawn = task.blocks.get(key, partial(task.draw, self.split, number, block))
            tokens[where] = drawn.tokens[rows]
            positions[where] = drawn.positions[rows]
        labels = np.full(tokens.shape, IGNORE, dtype=np.int64)
        np.put_along_axis(labels, positions, tokens[:, 1 : 2 * pairs : 2], axis=1)
        gap = np.zeros_like(tokens)
        np.put_along_axis(gap, positions, positions - 2 * np.arange(pairs), axis=1)
        return Batch(tokens, labels, {"pairs": np.full(len(index), pairs), "gap": gap})


@lru_cache(maxsize=16)
def _novel(task: MQAR, split: Split) -> list[NDArray[np.int64]]:
    """Indices, per segment of ``split``, of the examples that no earlier split contains."""
    stream = task.stream(split)
    earlier: list[Stream] = [task.stream(s) for s in SPLITS[: SPLITS.index(split)]]
    kept = novel(stream, earlier)
    for segment, indices in zip(stream.segments, kept, strict=True):
        if not len(indices):
            raise UserError(
                f"all {segment.examples} {split} examples of length {segment.length} with "
                f"{segment.pairs} pairs are in an earlier split too, so drop_duplicates leaves "
                "none; take a larger vocab_size, fewer train examples or filler: random"
            )
    return kept
