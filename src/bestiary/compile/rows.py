"""Numbers that differ from row to row: masks, row scales, biases."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from bestiary.compile.arithmetic import combined
from bestiary.compile.constants import Array, alike, constant
from bestiary.compile.sizes import row, row_count
from bestiary.errors import UserError

Interval = tuple[float, float]
"""Rows lo ≤ t < hi; either may be infinite. Empty where hi ≤ lo."""

MOST_TOLD = 8
"""Numbers that are written out."""

EVERYWHERE: Interval = (-math.inf, math.inf)
NOWHERE: Interval = (math.inf, -math.inf)


class Rows:
    """An array over all rows t ∈ ℤ: ``values`` from row ``start`` on, ``outside`` everywhere else.

    values: (rows, channels), or (rows,) for a single channel. outside: (channels,), or a number.
    A mask has outside 0; what is the same in every row has no values and is all ``outside``.
    """

    __slots__ = ("_support", "_uniform", "outside", "start", "values")

    def __init__(self, start: int, values: Array, outside: Array) -> None:
        self.start, self.values, self.outside = start, values, outside
        # Looked up by every pass, for arrays that never change.
        self._support: Interval | None = None
        self._uniform: bool | None = None

    @classmethod
    def of(cls, values: Any, start: int = 0, what: str = "a row constant") -> Rows:
        """(rows, channels) or (rows,) numbers from row ``start`` on, 0 elsewhere."""
        start = row(start, f"the first row of {what}")
        array = constant(values, what)
        return cls(start, array, np.zeros(array.shape[1:], dtype=array.dtype))

    @classmethod
    def same(cls, values: Any, what: str = "a constant") -> Rows:
        """(channels,) numbers, or one, the same in every row."""
        array = constant(values, what)
        return cls(0, array[None][:0], array)

    @classmethod
    def window(cls, lo: int, hi: int, channels: int | None = None) -> Rows:
        """1 in rows lo ≤ t < hi, 0 elsewhere."""
        lo, hi = row(lo, "the first row of a window"), row(hi, "the end of a window")
        if hi < lo:
            raise UserError(f"a window from row {lo} ends before it at {hi}; give lo ≤ hi")
        row_count(hi - lo, "a window")
        shape = (hi - lo,) if channels is None else (hi - lo, channels)
        return cls.of(np.ones(shape), lo)

    @property
    def stop(self) -> int:
        """The row after the last of ``values``."""
        return self.start + len(self.values)

    @property
    def support(self) -> Interval:
        """An interval outside of which every number is 0."""
        if self._support is None:
            self._support = EVERYWHERE if np.any(self.outside != 0) else self._inside()
        return self._support

    @property
    def uniform(self) -> bool:
        """Whether every row is the same."""
        if self._uniform is None:
            self._uniform = bool(np.all(self.values == self.outside))
        return self._uniform

    def equals(self, number: float) -> bool:
        """Whether every entry is ``number``."""
        return bool(np.all(self.outside == number)) and self.uniform

    def at(self, lo: int, hi: int) -> Array:
        """Rows lo ≤ t < hi as an array; ``UserError`` for too many."""
        row_count(hi - lo, "a row constant")
        out = np.empty((hi - lo, *self.outside.shape), dtype=self.values.dtype)
        out[...] = self.outside
        first, last = max(lo, self.start), min(hi, self.stop)
        if first < last:
            out[first - lo : last - lo] = self.values[first - self.start : last - self.start]
        return out

    def column(self, channel: int) -> Rows:
        """One channel alone."""
        outside = self.outside[channel : channel + 1].reshape(())
        return Rows(self.start, self.values[:, channel], outside)

    def columns(self, channels: Any) -> Rows:
        """Some channels, in the order given."""
        return Rows(self.start, self.values[:, channels], self.outside[channels])

    def shifted(self, by: int) -> Rows:
        """The same, ``by`` rows further down."""
        return Rows(self.start + by, self.values, self.outside)

    def __add__(self, other: Any) -> Rows:
        return self._with(other, np.add)

    def __mul__(self, other: Any) -> Rows:
        return self._with(other, np.multiply)

    __radd__, __rmul__ = __add__, __mul__

    def __repr__(self) -> str:
        return f"Rows({self.told()})"

    def told(self) -> str:
        """The numbers, up to ``MOST_TOLD`` of them in full; rows from the first to the last.

        ``rows 0..3: 1`` is 1 in rows 0, 1, 2, 3, and 0 elsewhere. Channels are in brackets where
        they differ.
        """
        outside = _numbers(self.outside[None])
        if self.uniform:
            return outside
        elsewhere = "" if not np.any(self.outside != 0) else f", elsewhere {outside}"
        where = f"rows {self.start}..{self.stop - 1}"
        return f"{where}: {_numbers(self.values)}{elsewhere}"

    def _inside(self) -> Interval:
        by_row = tuple(range(1, self.values.ndim))
        rows = np.flatnonzero(np.any(self.values != 0, axis=by_row))
        return (self.start + int(rows[0]), self.start + int(rows[-1]) + 1) if len(rows) else NOWHERE

    def _with(self, other: Any, combine: Callable[..., Array]) -> Rows:
        if not isinstance(other, Rows):
            values = combined(combine, self.values, other)
            return Rows(self.start, *alike(values, combined(combine, self.outside, other)))
        spans = [(r.start, r.stop) for r in (self, other) if len(r.values)]
        lo = min((start for start, _ in spans), default=0)
        hi = max((stop for _, stop in spans), default=0)
        values = combined(combine, self.at(lo, hi), other.at(lo, hi))
        return Rows(lo, *alike(values, combined(combine, self.outside, other.outside)))


def _numbers(values: Array) -> str:
    """(rows, channels) or (rows,) in words: what all rows have alike once, what is long counted."""
    by_row = values.reshape(len(values), -1)
    if by_row.size and np.all(by_row == by_row[:, :1]):
        by_row = by_row[:, :1]
    if by_row.size and np.all(by_row == by_row[:1]):
        by_row = by_row[:1]
    if by_row.size > MOST_TOLD:
        return f"{by_row.size} numbers"
    rows = [[_digits(number) for number in row] for row in by_row.tolist()]
    words = [row[0] if len(row) == 1 else f"[{' '.join(row)}]" for row in rows]
    return " ".join(words)


def _digits(number: object) -> str:
    """Four digits of a float, never -0; ints and fractions in full."""
    return f"{number + 0.0:.4g}" if isinstance(number, float) else str(number)


def hull(one: Interval, other: Interval) -> Interval:
    """The smallest interval that holds both."""
    return min(one[0], other[0]), max(one[1], other[1])


def overlap(one: Interval, other: Interval) -> Interval:
    """The rows in both; ``NOWHERE`` where there is none."""
    lo, hi = max(one[0], other[0]), min(one[1], other[1])
    return (lo, hi) if lo < hi else NOWHERE


def moved(interval: Interval, by_low: int, by_high: int) -> Interval:
    """The interval with its ends moved; nothing stays nothing."""
    return NOWHERE if interval[0] >= interval[1] else (interval[0] + by_low, interval[1] + by_high)
