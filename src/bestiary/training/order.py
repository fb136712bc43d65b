"""The order in which an epoch visits its examples, as a function of (seed, epoch).

Blocks of examples are shuffled, and the examples within a block; batches are cut from that
sequence, one segment each, and the segments' batches are interleaved at random. Nothing but
(epoch, batch) has to be kept to go on from a point, and memory is a few bytes a batch and a
block: an epoch larger than memory is never written down.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

BLOCK = 1024
"""Examples that are shuffled among themselves; a task makes indices of one block fastest."""

_INTERLEAVING, _BLOCKS, _WITHIN = range(3)


class EpochOrder:
    """Every example of every segment exactly once, in batches of one segment each.

    sizes: examples of each segment. The last batch of a segment holds what is left over, so it
    may be short. ``seed`` is not negative.
    """

    def __init__(self, sizes: Sequence[int], batch_size: int, seed: int, epoch: int) -> None:
        self.sizes = tuple(sizes)
        self.batch_size = batch_size
        self._key = (seed, epoch)
        counts = batch_counts(sizes, batch_size)
        self._segment = np.repeat(np.arange(len(counts), dtype=np.uint16), counts)
        self._generator(_INTERLEAVING).shuffle(self._segment)
        # Batch number within its segment: 0, 1, 2, … in the order the segment comes up.
        self._number = np.empty(len(self._segment), dtype=np.uint32)
        for segment, count in enumerate(counts):
            self._number[self._segment == segment] = np.arange(count, dtype=np.uint32)
        self._blocks: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}
        self._within: dict[int, tuple[int, NDArray[np.int64]]] = {}

    def __len__(self) -> int:
        return len(self._segment)

    def batch(self, number: int) -> tuple[int, NDArray[np.int64]]:
        """(segment, int64 indices within that segment) of batch ``number`` of the epoch."""
        segment = int(self._segment[number])
        start = int(self._number[number]) * self.batch_size
        stop = min(start + self.batch_size, self.sizes[segment])
        blocks, starts = self._block_order(segment)
        parts = []
        place = int(np.searchsorted(starts, start, side="right")) - 1
        while start < stop:
            end = min(stop, int(starts[place + 1]))
            offset = int(starts[place])
            shuffled = self._shuffled_block(segment, int(blocks[place]))
            parts.append(shuffled[start - offset : end - offset])
            start, place = end, place + 1
        return segment, parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _generator(self, *purpose: int) -> np.random.Generator:
        seed, epoch = self._key
        sequence = np.random.SeedSequence(seed, spawn_key=(epoch, *purpose))
        return np.random.Generator(np.random.PCG64(sequence))

    def _block_order(self, segment: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Shuffled blocks of a segment, and where each begins in the shuffled sequence."""
        if segment not in self._blocks:
            size = self.sizes[segment]
            blocks = self._generator(_BLOCKS, segment).permutation(-(-size // BLOCK))
            lengths = np.minimum(BLOCK, size - blocks * BLOCK)
            starts = np.concatenate([[0], np.cumsum(lengths)])
            self._blocks[segment] = (blocks, starts)
        return self._blocks[segment]

    def _shuffled_block(self, segment: int, block: int) -> NDArray[np.int64]:
        kept = self._within.get(segment)
        if kept is None or kept[0] != block:
            start = block * BLOCK
            size = min(BLOCK, self.sizes[segment] - start)
            shuffled = start + self._generator(_WITHIN, segment, block).permutation(size)
            kept = self._within[segment] = (block, shuffled)
        return kept[1]


def batch_counts(sizes: Sequence[int], batch_size: int) -> list[int]:
    """Batches of each segment in an epoch, the short last ones included."""
    return [-(-size // batch_size) for size in sizes]
