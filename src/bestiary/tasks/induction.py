"""Induction heads: random tokens, a trigger among them, and the trigger once more at the end.

With eight tokens::

    token     a   b   t   c   d   a   b   t
    label                                 c

The token after the trigger's first place must be said. A model that can do it at one length can be
tried at longer ones by segments that only test has. Dao et al., 2023 (arXiv 2212.14052), section
3.1, after Olsson et al., 2022 (arXiv 2209.11895).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log10

import numpy as np
from numpy.typing import NDArray

from bestiary.tasks.block_task import BlockTask
from bestiary.tasks.blocks import BLOCK, Block
from bestiary.tasks.protocol import IGNORE, SPLITS, Batch, Split
from bestiary.tasks.roles import Token
from bestiary.tasks.sampling import guessing, uniform
from bestiary.tasks.seeding import Words
from bestiary.tasks.segments import SegmentBase

TRIGGER = 0

TOKENS, PLACE = range(2)
"""What a block draws, each from words of its own."""


@dataclass(frozen=True)
class LengthSegment(SegmentBase):
    """Examples of one length, of at least 3. Counts of examples as ``SegmentBase`` has them."""

    example = "{length: 64}"
    thing = ""

    length: int
    train: int | None = None
    validation: int | None = None
    test: int | None = None

    def __post_init__(self) -> None:
        self.check_whole(length=3)

    @property
    def number(self) -> int:
        """One token, whatever the length."""
        return 1


@dataclass(frozen=True)
class Induction(BlockTask):
    """Induction heads: the token after a trigger, which comes again as the last token.

    vocab_size: tokens. 0 is the trigger, 1 … V − 1 are all others, drawn uniformly; they repeat.
    segments: lengths, mixed in one stream; mappings of ``LengthSegment``'s fields will do. The
        trigger's first place is uniform among those that leave one for the answer.
    Other fields as ``BlockTask`` has them. Raises ``UserError`` for a setting that cannot be met.
    """

    segment_kind = LengthSegment
    least_vocab_size = 3

    vocab_size: int = 32
    segments: tuple[LengthSegment, ...] = (LengthSegment(64),)

    @property
    def keys(self) -> int:
        """Tokens that are asked with: the trigger."""
        return 1

    @property
    def values(self) -> int:
        """All tokens but the trigger."""
        return self.vocab_size - 1

    def chance(self, segment: LengthSegment) -> float:
        """Guessing among the tokens of the example that are not the trigger."""
        return guessing(segment.length - 2, self.values)

    def log10_sequences(self, segment: LengthSegment) -> float:
        """See ``BlockTask``: the trigger's place and the other tokens."""
        others = segment.length - 2
        return log10(others) + others * log10(self.values)

    def draw(self, split: Split, number: int, block: int) -> Block:
        """See ``BlockTask``."""
        length = self.segments[number].length
        key = (SPLITS.index(split), number, block)
        words = [Words(self.seed, *key, part) for part in (TOKENS, PLACE)]
        # 1 is added in the type of the vocabulary, for values alone may fit in a smaller one.
        tokens = uniform(words[TOKENS], self.values, BLOCK, length)
        tokens = tokens.astype(np.min_scalar_type(self.vocab_size - 1)) + tokens.dtype.type(1)
        place = words[PLACE].below(length - 2, BLOCK, 1)
        np.put_along_axis(tokens, place, TRIGGER, axis=1)
        tokens[:, -1] = TRIGGER
        last = np.full((1, 1), length - 1, dtype=np.int32)
        return Block(tokens, last, (place + 1).astype(np.int32))

    def solve(self, tokens: NDArray[np.int64]) -> NDArray[np.int64]:
        """The token after the trigger's first place, at its last; ``IGNORE`` where it came once."""
        tokens = self.of_length(tokens)
        labels = np.full(tokens.shape, IGNORE, dtype=np.int64)
        first = (tokens[:, :-1] == TRIGGER).argmax(axis=1)[:, None]
        answer = np.take_along_axis(tokens, first + 1, axis=1)[:, 0]
        again = (tokens[:, -1] == TRIGGER) & (tokens[:, :-2] == TRIGGER).any(axis=1)
        labels[:, -1] = np.where(again, answer, IGNORE)
        return labels

    def roles(self, batch: Batch, row: int) -> list[Token]:
        """See ``BlockTask``."""
        tokens = batch.tokens[row].tolist()
        told = [Token(token, "filler") for token in tokens]
        first = tokens.index(TRIGGER)
        told[first] = Token(TRIGGER, "trigger")
        told[first + 1] = Token(tokens[first + 1], "answer")
        told[-1] = Token(TRIGGER, "trigger", label=int(batch.labels[row, -1]))
        return told
