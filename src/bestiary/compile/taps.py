"""Filters as Laurent polynomials: taps at any powers of X, also negative ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestiary.compile.constants import Array, alike, constant, whole
from bestiary.errors import UserError

DIRECT_PRODUCTS = 1 << 16
"""Up to so many products of taps a composition is summed directly, and exactly."""


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
        array = constant(values, what)
        if array.ndim not in (1, 2) or not len(array):
            raise UserError(
                f"{what} has shape {array.shape}; (taps, channels) or (taps,) with at least one "
                "tap is needed"
            )
        return cls(np.arange(start, start + len(array)), array)

    @classmethod
    def at(cls, taps: dict[int, Any], what: str = "a filter") -> Taps:
        """From {power: value, or values by channel}."""
        if not taps:
            raise UserError(f"{what} has no taps; give at least one as {{power: value}}")
        order = sorted(whole(power, f"a power of {what}") for power in taps)
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
        values, number = alike(self._wide(np.ndim(by)), np.asarray(by))
        return Taps(self.powers, values * number)

    def wrapped(self, rows: int) -> Taps:
        """Modulo X^rows - 1."""
        return _collected(self.powers % rows, self.values)

    def __add__(self, other: Taps) -> Taps:
        shape = np.broadcast_shapes(self.values.shape[1:], other.values.shape[1:])
        parts = alike(self._wide(len(shape)), other._wide(len(shape)))
        values = [np.broadcast_to(part, (len(part), *shape)) for part in parts]
        return _collected(np.concatenate([self.powers, other.powers]), np.concatenate(values))

    def __mul__(self, other: Taps) -> Taps:
        """The filter that applies one after the other."""
        dims = max(self.values.ndim, other.values.ndim) - 1
        mine, theirs = alike(self._wide(dims), other._wide(dims))
        exact = mine.dtype == object or theirs.dtype == object
        if exact or len(mine) * len(theirs) * max(1, mine[0].size) <= DIRECT_PRODUCTS:
            values = mine[:, None] * theirs[None, :]
            powers = np.add.outer(self.powers, other.powers)
            return _collected(powers.ravel(), values.reshape(powers.size, *values.shape[2:]))
        # Slow to import, and few programs have filters as long as that.
        from scipy.signal import fftconvolve

        values = fftconvolve(self._dense(mine), other._dense(theirs), axes=0)
        return Taps.of(values, self.low + other.low)

    def __repr__(self) -> str:
        if len(self.powers) <= 4 and self.values.ndim == 1:
            return " + ".join(
                f"X^{p}" if v == 1 else f"{v}·X^{p}"
                for p, v in zip(self.powers, self.values, strict=True)
            )
        return f"{len(self.powers)} taps X^{self.low}..X^{self.high}"

    def _dense(self, values: Array) -> Array:
        out = np.zeros((self.high - self.low + 1, *values.shape[1:]))
        out[self.powers - self.low] = values
        return out

    def _wide(self, dims: int) -> Array:
        return self.values[:, None] if dims and self.values.ndim == 1 else self.values


def shift_by(rows: int) -> Taps:
    """X^rows."""
    # Ints, which leave exact numbers exact.
    return Taps(np.array([rows]), np.ones(1, dtype=np.int64))


def _collected(powers: NDArray[np.int64], values: Array) -> Taps:
    """Taps of the same power added up; zeros dropped, but for one where all are zero."""
    unique, where = np.unique(powers, return_inverse=True)
    summed = np.zeros((len(unique), *values.shape[1:]), dtype=values.dtype)
    np.add.at(summed, where, values)
    kept = np.any(summed.reshape(len(summed), -1) != 0, axis=1)
    if not kept.any():
        return Taps(np.zeros(1, dtype=np.int64), summed[:1])
    return Taps(unique[kept], summed[kept])
