"""Which input positions and which taps an output position needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from bestiary.errors import UserError, unknown_name

Mode = Literal["causal", "circular", "bidirectional"]
MODES: tuple[Mode, ...] = get_args(Mode)


@dataclass(frozen=True, slots=True)
class Geometry:
    """y[t] = sum_j h[j] u[t - j + centre] for t = 0 … length - 1, with j = 0 … taps - 1.

    Outside of its positions u is 0, or with ``circular`` repeats itself. A causal convolution has
    centre 0. Swapping the order of taps and taking ``taps - 1 - centre`` as the centre gives the
    transposed map, so the gradient with respect to u is of the same kind.
    """

    length: int
    taps: int
    centre: int = 0
    circular: bool = False

    @property
    def reach(self) -> slice:
        """The taps that meet an input at all; those of a longer filter only ever meet zeros."""
        if self.circular:
            return slice(0, self.taps)
        first = max(0, self.centre - (self.length - 1))
        return slice(first, min(self.taps, self.centre + self.length))

    def trimmed(self) -> Geometry:
        """The geometry of ``reach`` alone, or of taps folded into one period if circular."""
        if self.circular:
            return Geometry(self.length, min(self.taps, self.length), 0, True)
        reach = self.reach
        return Geometry(self.length, reach.stop - reach.start, self.centre - reach.start)

    @property
    def fft_length(self) -> int:
        """The smallest transform from which all outputs can be read without wrap-around.

        The full product has ``length + taps - 1`` entries, of which those from ``centre`` on are
        outputs. The others may alias with each other, only not with these.
        """
        after = self.length + self.taps - 1 - self.centre
        return max(after, self.centre + self.length)


def geometry_for(length: int, taps: int, mode: str, centre: int | None = None) -> Geometry:
    """The geometry of a mode, as ``conv`` defines them; ``UserError`` if there is none."""
    if mode not in MODES:
        raise unknown_name("convolution mode", mode, MODES)
    for name, size in (("length", length), ("number of taps", taps)):
        if size < 1:
            raise UserError(f"the {name} of a convolution is {size}; it must be at least 1")
    if mode != "bidirectional":
        if centre is not None:
            raise UserError(f"centre is {centre}, but only a bidirectional filter has one")
        return Geometry(length, taps, 0, mode == "circular")
    if centre is None:
        if taps % 2 == 0:
            raise UserError(f"{taps} taps have no middle; give a centre from 0 to {taps - 1}")
        centre = taps // 2
    if not 0 <= centre < taps:
        raise UserError(f"centre is {centre}; with {taps} taps it must be from 0 to {taps - 1}")
    return Geometry(length, taps, centre)


@dataclass(frozen=True, slots=True)
class Block:
    """A run of outputs, and the run of inputs that it needs.

    Outputs ``[start, stop)`` are entries ``[offset, offset + stop - start)`` of the full product
    of the filter with inputs ``[first, last)``. Positions below 0 or from the length on occur in
    circular convolutions only and mean those of the repeated sequence.
    """

    start: int
    stop: int
    first: int
    last: int
    offset: int


def blocks(geometry: Geometry, size: int) -> Iterator[Block]:
    """Cut the outputs into runs of ``size``, the last one shorter where it must be."""
    for start in range(0, geometry.length, size):
        stop = min(start + size, geometry.length)
        first = start + geometry.centre - (geometry.taps - 1)
        last = stop + geometry.centre
        if not geometry.circular:
            first, last = max(first, 0), min(last, geometry.length)
        yield Block(start, stop, first, last, start + geometry.centre - first)


def wrapped(first: int, last: int, length: int) -> Iterator[tuple[slice, slice]]:
    """Where positions ``[first, last)`` of a repeated sequence lie in one period.

    Yields (slice of the run, slice of the period), one pair for each period that is touched.
    """
    position = first
    while position < last:
        begin = position % length
        size = min(length - begin, last - position)
        yield slice(position - first, position - first + size), slice(begin, begin + size)
        position += size
