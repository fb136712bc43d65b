"""Blocks of examples: the unit in which streams are drawn, and a cache of them bounded in bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 1024
"""Examples in a block. Part of what defines an example's bytes: never change it."""


@dataclass(frozen=True)
class Block:
    """``BLOCK`` examples, packed.

    tokens: (BLOCK, length) in the smallest unsigned integers that hold the vocabulary.
    positions: (BLOCK, asked) int32, where the model has to say something.
    answers: (BLOCK, asked) int32, the place before of the token that it has to say.
    Either of the two has a single row where all examples are alike.
    """

    tokens: NDArray[np.unsignedinteger[Any]]
    positions: NDArray[np.int32]
    answers: NDArray[np.int32]

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.tokens.nbytes + self.positions.nbytes + self.answers.nbytes


class BlockCache:
    """Blocks by key, the least recently used dropped first, never above ``limit`` bytes in all."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.nbytes = 0
        self._blocks: OrderedDict[tuple[int, ...], Block] = OrderedDict()
        self._lock = Lock()

    def get(self, key: tuple[int, ...], draw: Callable[[], Block]) -> Block:
        """The block at ``key``, drawn if it is not held."""
        with self._lock:
            if key in self._blocks:
                self._blocks.move_to_end(key)
                return self._blocks[key]
        block = draw()
        with self._lock:
            if key not in self._blocks and block.nbytes <= self.limit:
                self._blocks[key] = block
                self.nbytes += block.nbytes
            while self.nbytes > self.limit:
                self.nbytes -= self._blocks.popitem(last=False)[1].nbytes
        return block


def by_block(
    indices: NDArray[np.int64],
) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int64]]]:
    """Split indices by block: (block, where in ``indices``, rows inside the block)."""
    if not len(indices):
        return
    block, row = np.divmod(indices, BLOCK)
    order = np.argsort(block, kind="stable")
    numbers, starts = np.unique(block[order], return_index=True)
    for number, where in zip(numbers, np.split(order, starts[1:]), strict=True):
        yield int(number), where, row[where]


def spans(examples: int) -> Iterator[range]:
    """The indices 0 … examples − 1, a block at a time."""
    for start in range(0, examples, BLOCK):
        yield range(start, min(start + BLOCK, examples))
