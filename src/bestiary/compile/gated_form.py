"""What a gated convolution is to the compiler: projections of the input and kernels, as arrays.

z^0 = q^0 and z^ℓ = q^ℓ ⊙ (h^ℓ * z^(ℓ-1) + b^ℓ) for ℓ = 1..L, where every q is a linear map of the
input, followed by a short depthwise convolution where there is one; the output is a linear map of
z^L. Hyena is this, and so are H3 and other gated state-space mixers once their kernels are written
out (docs/theory.md, 'Hyena as BaseConv'). Any mixer is compiled that can say so of itself::

    class Mine(nn.Module):
        def gated_form(self, length: int) -> GatedForm: ...
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from bestiary.compile.constants import Array, constant
from bestiary.errors import UserError


@dataclass(frozen=True)
class Projection:
    """taps * (u · weight + bias) + taps_bias, in rows 0..N-1; float64 arrays.

    weight: (d, width). bias: (width,), or None for 0. taps: (k, width), tap s for the row s above,
    or None for no convolution. taps_bias: (width,), or None for 0.
    """

    weight: Array
    bias: Array | None = None
    taps: Array | None = None
    taps_bias: Array | None = None

    def __post_init__(self) -> None:
        read_arrays(self, "weight", "bias", "taps", "taps_bias")
        fit("weight", self.weight, (None, None))

    @property
    def width(self) -> int:
        """Channels."""
        return int(self.weight.shape[1])

    def folded(self, length: int) -> Projection:
        """The same in ``length`` rows; taps of a single row become part of the linear map."""
        if self.taps is None:
            return Projection(self.weight, summed(self.bias, self.taps_bias))
        taps = without_last_zeros(self.taps[:length])
        if len(taps) > 1:
            return replace(self, taps=taps)
        scaled = None if self.bias is None else self.bias * taps[0]
        return Projection(self.weight * taps[0], summed(scaled, self.taps_bias))

    def parts(self) -> Iterator[tuple[str, Array | None, tuple[int | None, ...]]]:
        """Every array with its name and the shape it must have, where None is any number."""
        yield "bias", self.bias, (self.width,)
        yield "taps", self.taps, (None, self.width)
        yield "taps_bias", self.taps_bias, (self.width,)


@dataclass(frozen=True)
class GatedStep:
    """z ↦ gate ⊙ (kernel * z + bias).

    kernel: (taps, width), the present row first. bias: (width,) for every row, (N, width) for each
    its own, or None for 0.
    """

    gate: Projection
    kernel: Array
    bias: Array | None = None

    def __post_init__(self) -> None:
        read_arrays(self, "kernel", "bias")


@dataclass(frozen=True)
class GatedForm:
    """z^0 = ``value``, the steps in order, then z · output_weight + output_bias.

    output_weight: (width, channels out), or None for z itself. ``UserError`` for shapes that do not
    fit and for entries that are not finite.
    """

    value: Projection
    steps: tuple[GatedStep, ...]
    output_weight: Array | None = None
    output_bias: Array | None = None

    def __post_init__(self) -> None:
        read_arrays(self, "output_weight", "output_bias")
        if not self.steps:
            raise UserError("a gated form has no steps; it needs at least one gate and its kernel")
        for number, projection in enumerate(self.projections):
            fit(f"weight of projection {number}", projection.weight, self.value.weight.shape)
            for name, array, shape in projection.parts():
                fit(f"{name} of projection {number}", array, shape)
        for number, step in enumerate(self.steps, start=1):
            fit(f"kernel {number}", step.kernel, (None, self.width))
            rows = (None,) if step.bias is not None and step.bias.ndim == 2 else ()
            fit(f"bias of kernel {number}", step.bias, (*rows, self.width))
        fit("output_weight", self.output_weight, (self.width, None))
        out = self.width if self.output_weight is None else self.output_weight.shape[1]
        fit("output_bias", self.output_bias, (out,))

    @property
    def projections(self) -> tuple[Projection, ...]:
        """q^0, q^1, …, q^L."""
        return (self.value, *(step.gate for step in self.steps))

    @property
    def d_model(self) -> int:
        """Channels of the input."""
        return int(self.value.weight.shape[0])

    @property
    def width(self) -> int:
        """Channels of z."""
        return self.value.width

    @property
    def degree(self) -> int:
        """L + 1, of the output as a polynomial in the input: one of z^0 and one a gate."""
        return len(self.steps) + 1

    @property
    def reach(self) -> int:
        """k, the most rows that a gate sees of the input."""
        taps = [step.gate.taps for step in self.steps]
        return max(1 if h is None else len(h) for h in taps)

    def folded(self, length: int) -> GatedForm:
        """The same in ``length`` rows, with no more short convolutions than it takes.

        Taps on z^0 become part of the first kernel: h * (s * x + c) = (h * s) * x + h * c, where
        h * c is a bias that differs from row to row.
        """
        steps = [
            replace(
                step,
                gate=step.gate.folded(length),
                kernel=without_last_zeros(step.kernel[:length]),
                bias=None if step.bias is None else rows_of(step.bias, length),
            )
            for step in self.steps
        ]
        value = self.value.folded(length)
        if value.taps is not None:
            kernel, bias = steps[0].kernel, steps[0].bias
            if value.taps_bias is not None:
                steady = np.cumsum(rows_of(kernel, length), axis=0) * value.taps_bias
                bias = steady if bias is None else bias + steady
            steps[0] = replace(steps[0], kernel=convolved(value.taps, kernel, length), bias=bias)
            value = Projection(value.weight, value.bias)
        return replace(self, value=value, steps=tuple(steps))


@runtime_checkable
class HasGatedForm(Protocol):
    """A mixer that says its gated form over ``length`` rows, in float64."""

    def gated_form(self, length: int) -> GatedForm:
        """Exactly what ``forward`` does on (batch, length, d)."""
        ...


def convolved(short: Array, kernel: Array, length: int) -> Array:
    """short * kernel, channel by channel: at most ``length`` taps."""
    joined = np.zeros((min(length, len(short) + len(kernel) - 1), kernel.shape[1]))
    for power, tap in enumerate(short):
        rows = min(len(kernel), len(joined) - power)
        joined[power : power + rows] += tap * kernel[:rows]
    return without_last_zeros(joined)


def without_last_zeros(taps: Array) -> Array:
    """The taps up to the last one that any channel has; at least one."""
    used = np.flatnonzero(np.any(taps != 0, axis=1))
    return taps[: int(used[-1]) + 1 if len(used) else 1]


def rows_of(values: Array, length: int) -> Array:
    """(length, width) from a row for all of them, or from up to as many, 0 below."""
    if values.ndim == 1:
        return np.broadcast_to(values, (length, len(values)))
    out = np.zeros((length, values.shape[1]))
    out[: len(values)] = values[:length]
    return out


def summed(one: Array | None, other: Array | None) -> Array | None:
    """one + other, where None is 0."""
    if one is None or other is None:
        return other if one is None else one
    return one + other


def read_arrays(parts: Projection | GatedStep | GatedForm, *names: str) -> None:
    """Make float64 arrays of what these fields were given; ``UserError`` for NaN and infinity."""
    for name in names:
        given = getattr(parts, name)
        if given is not None:
            object.__setattr__(parts, name, constant(given, f"the {name} of a gated form"))


def fit(what: str, array: Array | None, shape: tuple[int | None, ...]) -> None:
    """``UserError`` unless ``array`` is None or has that shape, where None is any number from 1."""
    if array is None:
        return
    given = array.shape
    fits = len(given) == len(shape) and 0 not in given
    if not fits or any(b not in (None, a) for a, b in zip(given, shape, strict=True)):
        wanted = ", ".join("any" if size is None else str(size) for size in shape)
        raise UserError(f"the {what} of a gated form has shape {given}; ({wanted}) is needed")
