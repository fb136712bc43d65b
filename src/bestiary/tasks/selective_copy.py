"""Selective copying: data tokens scattered among noise, then markers that ask for them in order.

With three data tokens in eleven::

    token     .   a   .   .   b   .   .   a   m   m   m
    label                                     a   b   a

Gu and Dao, 2023 (arXiv 2312.00752), section 3.1, after Jing et al., 2019.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log10

import numpy as np
from numpy.typing import NDArray

from bestiary.errors import UserError
from bestiary.tasks.block_task import BlockTask
from bestiary.tasks.blocks import BLOCK, Block
from bestiary.tasks.counting import log10_subsets
from bestiary.tasks.protocol import IGNORE, SPLITS, Batch, Split
from bestiary.tasks.roles import Token
from bestiary.tasks.sampling import distinct, guessing, uniform
from bestiary.tasks.seeding import Words
from bestiary.tasks.segments import SegmentBase, whole_number

DATA, PLACES, NOISE = range(3)
"""What a block draws, each from words of its own."""


@dataclass(frozen=True)
class CopySegment(SegmentBase):
    """Examples of one length and one number of items.

    length: tokens of an example, the markers too, so at least 2 · items. items: data tokens, and as
    many markers. Counts of examples as ``SegmentBase`` has them.
    """

    example = "{length: 64, items: 8}"
    thing = "item"

    length: int
    items: int
    train: int | None = None
    validation: int | None = None
    test: int | None = None

    def __post_init__(self) -> None:
        self.check_whole(items=1, length=2)
        if 2 * self.items > self.length:
            raise UserError(
                f"{self.items} items do not fit in length {self.length} with a marker each "
                f"(accepted: at most {self.length // 2} items, or a length of at least "
                f"{2 * self.items})"
            )

    @property
    def number(self) -> int:
        """The items."""
        return self.items


@dataclass(frozen=True)
class SelectiveCopy(BlockTask):
    """Selective copying: tokens scattered among noise, to be said in order at markers.

    vocab_size: tokens. 0 … noise − 1 are noise, the next is the marker, all others are data.
    segments: (length, items) mixed in one stream; mappings of ``CopySegment``'s fields will do.
    noise: how many tokens are noise; with 1 it is a blank. All draws are uniform: of noise, of data
        tokens, which may repeat, and of the places that they have before the markers.
    Other fields as ``BlockTask`` has them. Raises ``UserError`` for a setting that cannot be met.
    """

    segment_kind = CopySegment
    least_vocab_size = 4
    answer_follows = False

    vocab_size: int = 32
    segments: tuple[CopySegment, ...] = (CopySegment(64, 8),)
    noise: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("noise", whole_number("noise", self.noise, 1))
        if self.values < 2:
            raise UserError(
                f"noise is {self.noise}, which leaves {max(self.values, 0)} of {self.vocab_size} "
                f"tokens for data (accepted: at most {self.vocab_size - 3})"
            )

    @property
    def marker(self) -> int:
        """The token that asks."""
        return self.noise

    @property
    def values(self) -> int:
        """Tokens that can be data: marker + 1 … V − 1."""
        return self.vocab_size - self.noise - 1

    def chance(self, segment: CopySegment) -> float:
        """Guessing among the data tokens of the example."""
        return guessing(segment.items, self.values)

    def log10_sequences(self, segment: CopySegment) -> float:
        """See ``BlockTask``: data tokens, their places, and noise."""
        before, items = segment.length - segment.items, segment.items
        drawn = items * log10(self.values) + (before - items) * log10(self.noise)
        return log10_subsets(before, items) + drawn

    def draw(self, split: Split, number: int, block: int) -> Block:
        """See ``BlockTask``."""
        segment = self.segments[number]
        length, count = segment.length, segment.items
        key = (SPLITS.index(split), number, block)
        words = [Words(self.seed, *key, part) for part in (DATA, PLACES, NOISE)]
        dtype = np.min_scalar_type(self.vocab_size - 1)
        # In the type of the vocabulary first: data alone may fit in a smaller one.
        data = uniform(words[DATA], self.values, BLOCK, count).astype(dtype) + (self.marker + 1)
        places = np.sort(distinct(words[PLACES], length - count, BLOCK, count), axis=1)
        tokens = np.full((BLOCK, length), self.marker, dtype=dtype)
        tokens[:, : length - count] = uniform(words[NOISE], self.noise, BLOCK, length - count)
        np.put_along_axis(tokens, places, data, axis=1)
        markers = np.arange(length - count, length, dtype=np.int32)[None]
        return Block(tokens, markers, places.astype(np.int32))

    def solve(self, tokens: NDArray[np.int64]) -> NDArray[np.int64]:
        """At the n-th marker the n-th data token; ``IGNORE`` where it has not been read by then."""
        tokens = self.of_length(tokens)
        labels = np.full(tokens.shape, IGNORE, dtype=np.int64)
        data, markers = tokens > self.marker, tokens == self.marker
        # The n-th data token of each row in column n, and how many had been read at each position.
        order = np.argsort(~data, axis=1, kind="stable")
        read = data.cumsum(axis=1)
        asked = markers.cumsum(axis=1)
        row, at = np.nonzero(markers & (asked <= read))
        labels[row, at] = tokens[row, order[row, asked[row, at] - 1]]
        return labels

    def roles(self, batch: Batch, row: int) -> list[Token]:
        """See ``BlockTask``."""
        told: list[Token] = []
        data = markers = 0
        for token, label in zip(
            batch.tokens[row].tolist(), batch.labels[row].tolist(), strict=True
        ):
            if token == self.marker:
                markers += 1
                told.append(Token(token, "marker", markers, label))
            elif token > self.marker:
                data += 1
                told.append(Token(token, "data", data))
            else:
                told.append(Token(token, "filler"))
        return told
