"""Filters as Laurent polynomials: taps at any powers of X, also negative ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestiary.compile.arithmetic import combined, held
from bestiary.compile.constants import Array, alike, constant
from bestiary.compile.sizes import row, row_count
from bestiary.errors import UserError

DIRECT_PRODUCTS = 1 << 16
"""Up to so many products of taps a composition is summed directly, and exactly."""

DIRECT_LENGTH = 1 << 10
"""So are filtered constants, unless both are longer."""


class Taps:
    """Σ values[i] · X^powers[i]: X moves a sequence one row down, X^-1 one row up.

    powers: (taps,) ints, ascending, each once. values: (taps, channels), or (taps,) for one.
    """

    __slots__ = ("powers", "values")

    def __init__(self, powers: NDArray[np.int64], values: Array) -> None:
        self.powers, self.values = powers, values

    @classmethod
    def of(cls, values: Any, start: int = 0, what: str = "a filter") -> Taps:
        """A filter with a tap at every power from ``start`` on."""
        start = row(start, f"the least power of {what}")
        array = constant(values, what)
        if array.ndim not in (1, 2) or not len(array):
            raise UserError(
                f"{what} has shape {array.shape}; (taps, channels) or (taps,) with at least one "
                "tap is needed"
            )
        row_count(len(array), what)
        return cls(np.arange(start, start + len(array)), array)

    @classmethod
    def at(cls, taps: dict[int, Any], what: str = "a filter") -> Taps:
        """From {power: value, or values by channel}."""
        if not taps:
            raise UserError(f"{what} has no taps; give at least one as {{power: value}}")
        order = sorted(row(power, f"a power of {what}") for power in taps)
        given = alike(*(constant(taps[power], what) for power in order))
        values = np.broadcast_arrays(*given)
        return cls(np.array(order), np.stack(values))

    @property
    def low(self) -> int:
        """The least power: negative where the filter reads rows that come later."""
        return int(self.powers[0])

    @property
    def high(self) -> int:
        """The greatest power."""
        return int(self.powers[-1])

    @property
    def channels(self) -> int | None:
        """How many filters these are; None for one that serves any number of channels."""
        return None if self.values.ndim == 1 else self.values.shape[1]

    @property
    def identity(self) -> bool:
        """Whether a convolution with it changes nothing."""
        return len(self.powers) == 1 and self.low == 0 and bool(np.all(self.values == 1))

    @property
    def monomial(self) -> bool:
        """Whether it is X^s alone, a shift."""
        return len(self.powers) == 1 and bool(np.all(self.values == 1))

    def column(self, channel: int) -> Taps:
        """The filter of one channel, without its zeros."""
        if self.values.ndim == 1:
            return self
        values = self.values[:, channel]
        kept = values != 0
        if kept.all():
            return Taps(self.powers, values)
        if not kept.any():
            return Taps(np.zeros(1, dtype=np.int64), values[:1] * 0)
        return Taps(self.powers[kept], values[kept])

    def columns(self, channels: Any) -> Taps:
        """The filters of some channels."""
        return self if self.values.ndim == 1 else Taps(self.powers, self.values[:, channels])

    def shifted(self, by: int) -> Taps:
        """X^by times this."""
        return self if by == 0 else Taps(self.powers + by, self.values)

    def scaled(self, by: Any) -> Taps:
        """Times a number, or a number a channel."""
        return Taps(self.powers, combined(np.multiply, self._wide(np.ndim(by)), by))

    def wrapped(self, rows: int) -> Taps:
        """Modulo X^rows - 1."""
        return _collected(self.powers % rows, self.values)

    def __add__(self, other: Taps) -> Taps:
        return summed_taps([self, other])

    def __mul__(self, other: Taps) -> Taps:
        """The filter that applies one after the other; ``UserError`` where it is too long."""
        dims = max(self.values.ndim, other.values.ndim) - 1
        mine, theirs = alike(self._wide(dims), other._wide(dims))
        exact = mine.dtype == object or theirs.dtype == object
        if exact or len(mine) * len(theirs) * max(1, mine[0].size) <= DIRECT_PRODUCTS:
            values = combined(np.multiply, mine[:, None], theirs[None, :])
            powers = np.add.outer(self.powers, other.powers)
            return _collected(powers.ravel(), values.reshape(powers.size, *values.shape[2:]))
        values = _transformed(self._dense(mine), other._dense(theirs))
        low = self.low + other.low
        return Taps(np.arange(low, low + len(values)), values)

    def applied(self, rows: Array) -> Array:
        """This, of one channel, times all of (rows,): from row ``low`` after their first on."""
        count = row_count(len(rows) + self.high - self.low, "a filtered constant")
        exact = self.values.dtype == object or rows.dtype == object
        if min(len(self.powers), len(rows)) > DIRECT_LENGTH and not exact:
            return _transformed(self._dense(self.values), rows)

        def added(taps: Array, rows: Array) -> Array:
            out = np.zeros(count, dtype=np.result_type(taps, rows))
            if len(rows) < len(taps):
                for i, number in enumerate(rows):
                    out[self.powers - self.low + i] += number * taps
            else:
                for first, tap in zip((self.powers - self.low).tolist(), taps, strict=True):
                    out[first : first + len(rows)] += tap * rows
            return out

        return combined(added, self.values, rows)

    def __repr__(self) -> str:
        if len(self.powers) <= 4 and self.values.ndim == 1:
            return " + ".join(
                f"X^{p}" if v == 1 else f"{v}·X^{p}"
                for p, v in zip(self.powers, self.values, strict=True)
            )
        return f"{len(self.powers)} taps X^{self.low}..X^{self.high}"

    def _dense(self, values: Array) -> Array:
        rows = row_count(self.high - self.low + 1, "a filter")
        out = np.zeros((rows, *values.shape[1:]))
        out[self.powers - self.low] = values
        return out

    def _wide(self, dims: int) -> Array:
        return self.values[:, None] if dims and self.values.ndim == 1 else self.values


def summed_taps(filters: Sequence[Taps]) -> Taps:
    """The sum of one or more filters, each of one channel or of the same number."""
    shape = np.broadcast_shapes(*(taps.values.shape[1:] for taps in filters))
    parts = alike(*(taps._wide(len(shape)) for taps in filters))
    values = [np.broadcast_to(part, (len(part), *shape)) for part in parts]
    powers = np.concatenate([taps.powers for taps in filters])
    return _collected(powers, np.concatenate(values))


def _transformed(taps: Array, rows: Array) -> Array:
    """The whole convolution along the first axis, by transforms."""
    # Slow to import, and few programs have filters as long as that.
    from scipy.signal import fftconvolve

    with np.errstate(over="ignore", invalid="ignore"):
        return held(fftconvolve(taps, rows, axes=0))


def shift_by(rows: int) -> Taps:
    """X^rows."""
    # Ints, which leave exact numbers exact.
    return Taps(np.array([rows]), np.ones(1, dtype=np.int64))


def _collected(powers: NDArray[np.int64], values: Array) -> Taps:
    """Taps of the same power added up; zeros dropped, but for one where all are zero."""
    unique, where = np.unique(powers, return_inverse=True)

    def added(values: Array) -> Array:
        out = np.zeros((len(unique), *values.shape[1:]), dtype=values.dtype)
        np.add.at(out, where, values)
        return out

    summed = combined(added, values)
    kept = np.any(summed.reshape(len(summed), -1) != 0, axis=1)
    if not kept.any():
        return Taps(np.zeros(1, dtype=np.int64), summed[:1])
    return Taps(unique[kept], summed[kept])
