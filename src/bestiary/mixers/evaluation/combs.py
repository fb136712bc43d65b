"""Sets of rows that are evenly spaced runs, read and written as one strided view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor


@dataclass(frozen=True)
class Comb:
    """``count`` runs of ``length`` rows, one every ``period`` rows, from row ``first`` on.

    An interval is one run.
    """

    first: int
    length: int
    period: int = 0
    count: int = 1

    @classmethod
    def between(cls, first: int, last: int) -> Comb:
        """The rows first ≤ t < last."""
        return cls(first, last - first)

    @classmethod
    def of(cls, used: NDArray[np.bool_], first: int) -> Comb | None:
        """The rows that are used, counted from ``first``; None where that is no comb."""
        steps = np.diff(used.astype(np.int8), prepend=0, append=0)
        begins, ends = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
        lengths, periods = np.unique(ends - begins), np.unique(np.diff(begins))
        if len(lengths) != 1 or len(periods) > 1:
            return None
        period = int(periods[0]) if len(periods) else 0
        return cls(first + int(begins[0]), int(lengths[0]), period, len(begins))

    @property
    def last(self) -> int:
        """The row after the last."""
        return self.first + (self.count - 1) * self.period + self.length

    def moved(self, by: int) -> Comb:
        """The same, ``by`` rows further down."""
        return Comb(self.first + by, self.length, self.period, self.count)

    def within(self, other: Comb) -> Comb | None:
        """The rows in both: of two intervals, or where one holds the other; else None."""
        if self.count == other.count == 1:
            first, last = max(self.first, other.first), min(self.last, other.last)
            return Comb.between(first, last) if first < last else None
        for inner, outer in ((self, other), (other, self)):
            holds = outer.first <= inner.first and inner.last <= outer.last
            if inner == outer or (outer.count == 1 and holds):
                return inner
        return None

    def rows(self) -> NDArray[np.int64]:
        """The number of each row."""
        runs = self.first + self.period * np.arange(self.count)
        return (runs[:, None] + np.arange(self.length)).ravel()

    def view(self, values: Tensor, first: int) -> Tensor:
        """These rows of (channels, batch, rows) whose first row is ``first``.

        (channels, batch, length), or (channels, batch, count, length) of several runs.
        """
        begin = self.first - first
        if self.count == 1:
            return values[..., begin : begin + self.length]
        channels, batch, rows = values.stride()
        return values.as_strided(
            (*values.shape[:2], self.count, self.length),
            (channels, batch, self.period * rows, rows),
            values.storage_offset() + begin * rows,
        )


def are_apart(combs: Sequence[Comb]) -> bool:
    """Whether no row is in two of them."""
    rows = np.concatenate([comb.rows() for comb in combs])
    return len(np.unique(rows)) == len(rows)
