"""A dense matrix cut into d × d blocks, one for each pair of rows, and what a form of it costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestiary.compile.expression import Value
from bestiary.compile.program import Mode
from bestiary.errors import UserError

Array = NDArray[Any]
TOLERANCE = 1e-13
"""Entries that differ by less, relative to the largest, are equal: twiddles are rounded."""


@dataclass(frozen=True)
class BlockMatrix:
    """y[t, c] = Σ dense[(t, c), (τ, c')] · x[τ, c'] for real (n·d, n·d) entries, row-major.

    mode: rows are counted modulo n in a circular program.
    """

    dense: Array
    d: int
    mode: Mode = "causal"

    def __post_init__(self) -> None:
        rows, columns = self.dense.shape
        if rows != columns or rows % self.d:
            raise UserError(
                f"a matrix of shape {self.dense.shape} has no blocks of d = {self.d}; a square one "
                f"with a multiple of {self.d} rows is needed"
            )

    @property
    def rows(self) -> int:
        """n."""
        return len(self.dense) // self.d

    @cached_property
    def blocks(self) -> Array:
        """(n, d, n, d): entry [t, c, τ, c']."""
        return self.dense.reshape(self.rows, self.d, self.rows, self.d)

    @cached_property
    def rounding(self) -> float:
        """What counts as 0."""
        return TOLERANCE * float(max(self.dense.max(initial=0), -self.dense.min(initial=0)))

    @property
    def offsets(self) -> list[int]:
        """t − τ of all pairs of rows, modulo n in a ring."""
        return list(range(0 if self.mode == "circular" else 1 - self.rows, self.rows))

    def diagonal(self, offset: int) -> Array:
        """(n, d, d): the blocks [t, c, c'] at τ = t − offset, 0 where there is no such row."""
        t = np.arange(self.rows)
        source = t - offset
        if self.mode == "circular":
            return self.blocks[t, :, source % self.rows]
        inside = (source >= 0) & (source < self.rows)
        return self.blocks[t, :, np.where(inside, source, 0)] * inside[:, None, None]

    def present(self, offset: int) -> Array:
        """(m, d, d): those blocks of ``diagonal`` for which there is such a row."""
        below = np.diagonal(self.blocks, -offset, 0, 2)
        if self.mode == "circular" and offset:
            around = np.diagonal(self.blocks, self.rows - offset, 0, 2)
            below = np.concatenate([below, around], axis=-1)
        return np.moveaxis(below, -1, 0)

    @cached_property
    def largest(self) -> Array:
        """(offsets, d, d): the size of the largest entry [c, c'] of each diagonal of blocks."""
        found = np.empty((len(self.offsets), self.d, self.d))
        for place, offset in enumerate(self.offsets):
            blocks = self.present(offset)
            found[place] = np.maximum(blocks.max(axis=0), -blocks.min(axis=0))
        return found


@dataclass(frozen=True)
class Form:
    """A matrix in a form that a short program multiplies by.

    layers, width: at most so many, d'. apply: the program's output, of its input.
    """

    name: str
    layers: int
    width: int
    apply: Callable[[Value], Value]

    @property
    def cost(self) -> int:
        """Channels over all layers, by which forms are compared."""
        return self.layers * self.width
