"""Examples that occur twice: within a split, and in two splits of one task.

Streams of different splits are drawn from different random streams, so nothing is shared but by
chance. Where few sequences are possible, chance makes it certain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestiary.tasks.blocks import spans
from bestiary.tasks.protocol import SPLITS, Split, Stream, Task

Hashes = NDArray[np.uint64]


@dataclass(frozen=True)
class Duplicates:
    """Exact duplicates among the token sequences of one segment of one split.

    repeated: examples equal to one with a smaller index in the same segment.
    in_train, in_validation: examples that also occur anywhere in that split (None for that split
    itself, and for train against validation, which is counted from the other side).
    """

    split: Split
    length: int
    pairs: int
    examples: int
    repeated: int
    in_train: int | None
    in_validation: int | None


def count_duplicates(task: Task) -> list[Duplicates]:
    """Count exact duplicates in every split and segment of ``task``, in one pass over all examples.

    Sequences are compared by 64-bit hashes: among n of them a false match has odds n² / 2⁶⁵.
    """
    seen: dict[Split, Hashes] = {}
    rows = []
    for split in SPLITS:
        stream = task.stream(split)
        hashed = segment_hashes(stream)
        for segment, hashes in zip(stream.segments, hashed, strict=True):
            overlap = {s: int(np.isin(hashes, seen[s]).sum()) for s in seen}
            rows.append(
                Duplicates(
                    split,
                    segment.length,
                    segment.pairs,
                    len(hashes),
                    len(hashes) - len(np.unique(hashes)),
                    overlap.get("train"),
                    overlap.get("validation"),
                )
            )
        seen[split] = np.unique(np.concatenate(hashed))
    return rows


def novel(stream: Stream, earlier: Sequence[Stream]) -> list[NDArray[np.int64]]:
    """Indices, per segment of ``stream``, of examples in none of the ``earlier`` streams."""
    seen = np.concatenate([h for s in earlier for h in segment_hashes(s)])
    return [np.flatnonzero(~np.isin(hashes, seen)) for hashes in segment_hashes(stream)]


def segment_hashes(stream: Stream) -> list[Hashes]:
    """A hash of the tokens of every example, (examples,) uint64 for each segment."""
    return [
        np.concatenate(
            [hash_rows(stream.examples(number, rows).tokens) for rows in spans(segment.examples)]
        )
        for number, segment in enumerate(stream.segments)
    ]


def hash_rows(tokens: NDArray[np.int64]) -> Hashes:
    """A 64-bit hash of each row, (batch, length) → (batch,); rows of any lengths can be compared.

    Each (position, token) is mixed to 64 bits by the finaliser of SplitMix64 (Steele et al.,
    2014) and the row's are added up: tabulation hashing with a computed table.
    """
    position = np.arange(1, tokens.shape[1] + 1, dtype=np.uint64)
    mixed = tokens.astype(np.uint64) + (position << np.uint64(32))
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return mixed.sum(axis=1, dtype=np.uint64)
