"""Multi-query associative recall (MQAR): pairs first, then every key once more among filler.

With two pairs in 16 tokens, and filler left out::

    token    k1  v1  k2  v2   .   .  k2   .   .   .   .   .  k1   .   .   .
    label                            v2                      v1

Where a key comes again the model must say its value. Arora et al., 2023 (arXiv 2312.04927).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, log10
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from bestiary.errors import UserError, unknown_name
from bestiary.tasks.block_task import BlockTask
from bestiary.tasks.blocks import BLOCK, Block
from bestiary.tasks.counting import log10_arrangements
from bestiary.tasks.protocol import SPLITS, Batch, Split
from bestiary.tasks.reading import read
from bestiary.tasks.roles import Token, roles
from bestiary.tasks.sampling import avoiding, by_power_law, distinct, uniform
from bestiary.tasks.seeding import Words
from bestiary.tasks.segments import Segment

Filler = Literal["random", "none", "any"]

KEYS, VALUES, GAPS, FILLER = range(4)
"""What a block draws, each from words of its own: another filler leaves the pairs as they were."""


@dataclass(frozen=True)
class MQAR(BlockTask):
    """Multi-query associative recall: pairs first, then every key once more among filler.

    vocab_size: tokens. 0 is the blank, 1 … V/2 − 1 are keys, V/2 … V − 1 are values.
    segments: (length, pairs) mixed in one stream; mappings of ``Segment``'s fields will do.
    power_a: the gap, in pairs of tokens from the end of the context, is i with p ∝ i^(power_a − 1),
        drawn without replacement; 1 is uniform, the paper has 0.01.
    filler: what stands between queries. ``random``: any token but the example's own keys.
        ``none``: 0. ``any``: any token, keys too, as published; some filler then looks like a query
        that is not scored (`bestiary data mqar --filler any --stats` measures how much).
    Other fields as ``BlockTask`` has them. Raises ``UserError`` for a setting that cannot be met.
    """

    segment_kind = Segment
    least_vocab_size = 4

    vocab_size: int = 8192
    segments: tuple[Segment, ...] = (Segment(64, 4),)
    power_a: float = 0.01
    filler: Filler = "random"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.filler not in get_args(Filler):
            raise unknown_name("filler", str(self.filler), get_args(Filler))
        power = self.power_a
        if isinstance(power, bool) or not isinstance(power, (int, float)):
            raise UserError(f"power_a is {power!r}; it must be a number above 0")
        if not (power > 0 and isfinite(power)):
            raise UserError(f"power_a is {power}; it must be a number above 0 (the paper has 0.01)")
        self._set("power_a", float(power))
        pairs = max(segment.pairs for segment in self.segments)
        if pairs > self.keys:
            raise UserError(
                f"{pairs} pairs need as many distinct keys, but a vocabulary of "
                f"{self.vocab_size} has {self.keys} (accepted: at most {self.keys} pairs, or "
                f"vocab_size of at least {2 * pairs + 2})"
            )

    @property
    def keys(self) -> int:
        """Tokens that can be keys: 1 … V/2 − 1."""
        return self.vocab_size // 2 - 1

    @property
    def values(self) -> int:
        """Tokens that can be values: V/2 … V − 1."""
        return self.vocab_size - self.vocab_size // 2

    def chance(self, segment: Segment) -> float:
        """Guessing among the values of the context."""
        return 1 / segment.pairs

    def log10_sequences(self, segment: Segment) -> float:
        """See ``BlockTask``: ordered keys, values and places of the queries, and the filler.

        Under ``any`` some sequences are counted more than once.
        """
        pairs, length = segment.pairs, segment.length
        places = length // 2 - pairs
        fillers = {"none": 1, "random": self.vocab_size - pairs, "any": self.vocab_size}
        return sum(
            log10_arrangements(choices, pairs) for choices in (self.keys, self.values, places)
        ) + (length - 3 * pairs) * log10(fillers[self.filler])

    def solve(self, tokens: NDArray[np.int64]) -> NDArray[np.int64]:
        """Labels (batch, length) read off the tokens alone.

        Every later occurrence of a key of the context is answered with the value beside it there;
        under ``any`` that includes filler which looks like a query. Where segments share a length,
        an example has the largest number of pairs that it reads as. Raises ``UserError`` for a
        length that no segment has.
        """
        tokens = self.of_length(tokens)
        counts = {s.pairs for s in self.segments if s.length == tokens.shape[1]}
        return read(tokens, sorted(counts), self.vocab_size // 2)

    def roles(self, batch: Batch, row: int) -> list[Token]:
        """See ``BlockTask``."""
        return roles(batch, row)

    def draw(self, split: Split, number: int, block: int) -> Block:
        """See ``BlockTask``."""
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
        return Block(tokens, positions, np.arange(1, context, 2, dtype=np.int32)[None])
