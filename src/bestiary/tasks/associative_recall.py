"""Associative recall: pairs of keys and values, and at the end one key once more.

With three pairs::

    token    k1  v1  k2  v2  k3  v3  k2
    label                            v2

Ba et al., 2016 (arXiv 1610.06258), section 4.1; the task with many queries is ``mqar``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log10
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from bestiary.errors import UserError, unknown_name
from bestiary.tasks.block_task import BlockTask
from bestiary.tasks.blocks import BLOCK, Block
from bestiary.tasks.counting import log10_arrangements
from bestiary.tasks.protocol import IGNORE, SPLITS, Batch, Split
from bestiary.tasks.roles import Token, roles
from bestiary.tasks.sampling import distinct
from bestiary.tasks.seeding import Words
from bestiary.tasks.segments import SegmentBase

Vocabulary = Literal["split", "shared"]

KEYS, VALUES, QUERY = range(3)
"""What a block draws, each from words of its own."""


@dataclass(frozen=True)
class PairsSegment(SegmentBase):
    """Examples of one number of pairs: 2 · pairs + 1 tokens, of which the last asks for one pair.

    Counts of examples as ``SegmentBase`` has them.
    """

    example = "{pairs: 8}"
    thing = "pair"

    pairs: int
    train: int | None = None
    validation: int | None = None
    test: int | None = None

    def __post_init__(self) -> None:
        self.check_whole(pairs=1)

    @property
    def length(self) -> int:
        """Keys, values and the query."""
        return 2 * self.pairs + 1

    @property
    def number(self) -> int:
        """The pairs: which of them is asked for is not known before all were read."""
        return self.pairs

    @property
    def asked(self) -> int:
        """One of them."""
        return 1


@dataclass(frozen=True)
class AssociativeRecall(BlockTask):
    """Associative recall with one query: pairs of keys and values, then one key once more.

    vocab_size: tokens. 0 is left out: it is the blank of ``mqar``.
    segments: numbers of pairs, mixed in one stream; mappings of ``PairsSegment``'s fields will do.
    vocabulary: ``split``: keys are 1 … V/2 − 1 and values V/2 … V − 1, as in ``mqar``. ``shared``:
        both are any of 1 … V − 1, and in one example no token is two of its keys and values.
    Other fields as ``BlockTask`` has them. Raises ``UserError`` for a setting that cannot be met.
    """

    segment_kind = PairsSegment
    least_vocab_size = 4

    vocab_size: int = 8192
    segments: tuple[PairsSegment, ...] = (PairsSegment(16),)
    vocabulary: Vocabulary = "split"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.vocabulary not in get_args(Vocabulary):
            raise unknown_name("vocabulary", str(self.vocabulary), get_args(Vocabulary))
        most = self.keys if self.vocabulary == "split" else self.keys // 2
        pairs = max(segment.pairs for segment in self.segments)
        if pairs > most:
            least = 2 * pairs + (2 if self.vocabulary == "split" else 1)
            raise UserError(
                f"{pairs} pairs need as many distinct keys and values, but a vocabulary of "
                f"{self.vocab_size}, {self.vocabulary}, has them for {most} (accepted: at most "
                f"{most} pairs, or vocab_size of at least {least})"
            )

    @property
    def keys(self) -> int:
        """Tokens that can be keys."""
        return self.vocab_size // 2 - 1 if self.vocabulary == "split" else self.vocab_size - 1

    @property
    def values(self) -> int:
        """Tokens that can be values."""
        return self.vocab_size - self.vocab_size // 2 if self.vocabulary == "split" else self.keys

    def chance(self, segment: PairsSegment) -> float:
        """Guessing among the values."""
        return 1 / segment.pairs

    def log10_sequences(self, segment: PairsSegment) -> float:
        """See ``BlockTask``: ordered keys and values, and which key comes again."""
        pairs = segment.pairs
        if self.vocabulary == "shared":
            return log10_arrangements(self.keys, 2 * pairs) + log10(pairs)
        arrangements = log10_arrangements(self.keys, pairs) + log10_arrangements(self.values, pairs)
        return arrangements + log10(pairs)

    def draw(self, split: Split, number: int, block: int) -> Block:
        """See ``BlockTask``."""
        pairs = self.segments[number].pairs
        key = (SPLITS.index(split), number, block)
        words = [Words(self.seed, *key, part) for part in (KEYS, VALUES, QUERY)]
        if self.vocabulary == "shared":
            both = 1 + distinct(words[KEYS], self.keys, BLOCK, 2 * pairs)
            keys, values = both[:, :pairs], both[:, pairs:]
        else:
            keys = 1 + distinct(words[KEYS], self.keys, BLOCK, pairs)
            values = self.vocab_size // 2 + distinct(words[VALUES], self.values, BLOCK, pairs)
        asked = words[QUERY].below(pairs, BLOCK, 1)
        tokens = np.empty((BLOCK, 2 * pairs + 1), dtype=np.min_scalar_type(self.vocab_size - 1))
        tokens[:, 0:-1:2], tokens[:, 1::2] = keys, values
        tokens[:, -1:] = np.take_along_axis(keys, asked, axis=1)
        last = np.full((1, 1), 2 * pairs, dtype=np.int32)
        return Block(tokens, last, (2 * asked + 1).astype(np.int32))

    def solve(self, tokens: NDArray[np.int64]) -> NDArray[np.int64]:
        """The value beside the key that the last token is; other rows have no label."""
        tokens = self.of_length(tokens)
        labels = np.full(tokens.shape, IGNORE, dtype=np.int64)
        matching = tokens[:, 0:-1:2] == tokens[:, -1:]
        values = np.take_along_axis(tokens[:, 1::2], matching.argmax(axis=1)[:, None], axis=1)
        labels[:, -1] = np.where(matching.any(axis=1), values[:, 0], IGNORE)
        return labels

    def roles(self, batch: Batch, row: int) -> list[Token]:
        """See ``BlockTask``."""
        return roles(batch, row)
