"""From which size of whole numbers on a stack rounds, and on given inputs from which layer on.

Numbers that are whole multiples of 2^s and at most 2^(s + p) in size take p bits of a significand.
A sum is done without rounding, in whatever order, where the sizes of its terms come to no more; so
the sizes are followed through the same layers with every sign a plus, and the powers of two channel
by channel.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bestiary.compile.verify import layer_outputs
from bestiary.errors import counted
from bestiary.mixers.base_conv_layer import BaseConvLayer
from bestiary.mixers.base_conv_stack import BaseConvStack
from bestiary.mixers.sparse_bias import SparseBias
from bestiary.mixers.sparse_weight import SparseWeight
from bestiary.mixers.tap_filter import TapFilter

DOUBLE = 53
"""Bits of float64, in which the sizes are computed: a need beyond is only known to be more."""
LEAST, MOST = -126, 128
"""Exponents of float32 and bfloat16; numbers that are no multiples of 2^LEAST, or reach 2^MOST, are
said to take more bits than any format has."""

Steps = Tensor
"""(channels,) float64: s, where all numbers of a channel are multiples of 2^s; ∞ if all are 0."""


FORMATS = {"float32": torch.float32, "bfloat16": torch.bfloat16}


def significand(dtype: torch.dtype) -> int:
    """Bits of a floating-point number: 53, 24 and 8 of float64, float32 and bfloat16."""
    return 1 - round(math.log2(torch.finfo(dtype).eps))


@dataclass(frozen=True)
class Need:
    """The layer whose numbers take the most bits, and how many; layer 0 is the input."""

    layer: int
    bits: int

    @property
    def taken(self) -> str:
        """``"5 bits"``, or that it is more than can be counted."""
        return counted(self.bits, "bit") if self.bits <= DOUBLE else f"more than {DOUBLE} bits"


@dataclass(frozen=True)
class Exactness:
    """Where float32 and bfloat16 hold every number of a stack as it is, each by its name.

    up_to: the size of whole inputs, see ``largest_exact``. beyond: the first layer that needs more
    bits than the format has, of the bits that were tried; only formats that are not exact on them.
    tried: what those take at most, None where there were none.
    """

    up_to: dict[str, int]
    beyond: dict[str, Need]
    tried: Need | None = None


def exactness(
    stack: BaseConvStack, rows: int, width: int, bits: Tensor | None = None
) -> Exactness | None:
    """For whole inputs, (rows, width) of them, and for ``bits``, (batch, rows, width) of 0 and 1.

    None where a filter is not kept tap by tap, and may be applied by an FFT, which rounds.
    """
    if not all(isinstance(layer.filter, TapFilter) for layer in stack.layers):
        return None
    sizes = _Sizes(stack)
    up_to = {name: _largest(sizes, rows, width, kind) for name, kind in FORMATS.items()}
    if bits is None:
        return Exactness(up_to, {})
    needs = list(_needs(stack, bits, sizes))
    beyond = {
        name: next((need for need in needs if need.bits > significand(kind)), None)
        for name, kind in FORMATS.items()
    }
    return Exactness(
        up_to,
        {name: need for name, need in beyond.items() if need is not None},
        _first_of_most(needs),
    )


def largest_exact(stack: BaseConvStack, rows: int, width: int, dtype: torch.dtype) -> int:
    """The largest B such that no number rounds for any whole inputs of size up to B.

    0 where that cannot be said of 0 and ±1 either. A bound: what cancels may be exact beyond it.
    """
    return _largest(_Sizes(stack), rows, width, dtype)


def _largest(sizes: _Sizes, rows: int, width: int, dtype: torch.dtype) -> int:
    bits = significand(dtype)

    def exact(most: int) -> bool:
        return sizes.need_up_to(most, rows, width) <= bits

    low, high = 0, 1
    while high <= 1 << bits and exact(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if exact(middle) else (low, middle)
    return low


def need_of(stack: BaseConvStack, batch: Tensor) -> Need:
    """What these inputs need, (batch, rows, width): of the layers of most bits the first."""
    return _first_of_most(list(_needs(stack, batch)))


def _needs(stack: BaseConvStack, batch: Tensor, sizes: _Sizes | None = None) -> Iterator[Need]:
    sizes = _Sizes(stack) if sizes is None else sizes
    arrays = layer_outputs(copy.deepcopy(stack).double(), batch.double())
    with torch.no_grad():
        u = next(arrays)
        yield Need(0, bits_of(u))
        for number, layer in enumerate(sizes.stack.layers, 1):
            gate, conv = _steps_of_sides(layer, _steps(u).amin((0, 1)))
            summed = max(_bits(layer.gate(u.abs()), gate), _bits(layer.convolution(u.abs()), conv))
            u = next(arrays)
            yield Need(number, max(summed, bits_of(u)))


def _first_of_most(needs: list[Need]) -> Need:
    return max(needs, key=lambda need: (need.bits, -need.layer))


class _Sizes:
    """A stack with the sizes of all its weights, in float64, and what whole inputs need in it."""

    def __init__(self, stack: BaseConvStack) -> None:
        self.stack = copy.deepcopy(stack).double()
        with torch.no_grad():
            for values in self.stack.parameters():
                values.abs_()
        self.sides: dict[int, list[tuple[Steps, Steps]]] = {}

    @torch.no_grad()
    def need_up_to(self, most: int, rows: int, width: int) -> int:
        """Bits that whole inputs, (rows, width), of size up to ``most`` > 0 can take at any layer.

        Steps do not depend on how large inputs are, so that they are followed once.
        """
        if width not in self.sides:
            self.sides[width] = list(self._sides(width))
        full = torch.full((1, rows, width), float(most), dtype=torch.float64)
        u = next(layer_outputs(self.stack, full))
        needs = [_bits(u, self._inputs(width))]
        for layer, (gate, conv) in zip(self.stack.layers, self.sides[width], strict=True):
            left, right = layer.gate(u), layer.convolution(u)
            u = left * right
            needs += [_bits(left, gate), _bits(right, conv), _bits(u, gate + conv)]
        return max(needs)

    def _inputs(self, width: int) -> Steps:
        """Steps of whole numbers in the first channels, and of the zeros beside them."""
        steps = torch.full((self.stack.width,), math.inf, dtype=torch.float64)
        steps[:width] = 0
        return steps

    def _sides(self, width: int) -> Iterator[tuple[Steps, Steps]]:
        """Steps of both sides of each layer, for inputs that are whole numbers."""
        steps = self._inputs(width)
        for layer in self.stack.layers:
            gate, conv = _steps_of_sides(layer, steps)
            yield gate, conv
            steps = gate + conv


def _steps_of_sides(layer: BaseConvLayer, steps: Steps) -> tuple[Steps, Steps]:
    """Steps of all that is added up on the gate side and on the convolution side."""
    gate = torch.minimum(_weighed(layer, steps), _bias_steps(layer.gate_bias, layer.width))
    conv = torch.minimum(_moved(layer, steps), _bias_steps(layer.conv_bias, layer.width))
    return gate, conv


def _weighed(layer: BaseConvLayer, steps: Steps) -> Steps:
    """Steps of the terms of U W."""
    weight = layer.weight
    if weight is None:
        return steps
    if isinstance(weight, SparseWeight):
        return _least(_steps(weight.values) + steps[weight.sources], weight.targets, layer.width)
    return (_steps(weight) + steps[:, None]).amin(0)


def _moved(layer: BaseConvLayer, steps: Steps) -> Steps:
    """Steps of the terms of h * U."""
    taps = layer.filter
    assert isinstance(taps, TapFilter)
    return _least(_steps(taps.values) + steps[taps.at], taps.at, layer.width)


def _bias_steps(bias: Tensor | SparseBias | None, width: int) -> Steps:
    if bias is None:
        return torch.full((width,), math.inf, dtype=torch.float64)
    steps = _steps(bias.dense() if isinstance(bias, SparseBias) else bias)
    return steps if steps.ndim == 1 else steps.amin(0)


def _least(steps: Steps, at: Tensor, width: int) -> Steps:
    found = torch.full((width,), math.inf, dtype=torch.float64)
    return found.scatter_reduce(0, at, steps, "amin")


def _steps(numbers: Tensor) -> Tensor:
    """s of each number, 2^s the largest power of two that divides it; ∞ for 0."""
    part, exponent = torch.frexp(numbers.detach().double())
    whole = (part.abs() * 2.0**DOUBLE).long()
    zeros = (whole & -whole).double().log2()
    return torch.where(whole == 0, math.inf, exponent - DOUBLE + zeros)


def _bits(sizes: Tensor, steps: Steps) -> int:
    """Bits for all whole multiples of 2^step up to the sizes, each channel by its own step."""
    most = sizes.amax((0, 1)) if sizes.numel() else sizes.new_zeros(sizes.shape[-1])
    return _needed(most, steps)


def bits_of(numbers: Tensor | NDArray[np.float64]) -> int:
    """Bits of a significand that holds the longest of these numbers, each by itself; 0 for 0."""
    given = torch.as_tensor(numbers, dtype=torch.float64)
    return _needed(given.abs(), _steps(given))


def _needed(sizes: Tensor, steps: Tensor) -> int:
    some = (sizes != 0) & steps.isfinite()
    if not bool(some.any()):
        return 0
    part, exponent = torch.frexp(sizes[some])
    least = steps[some]
    inside = part.isfinite() & (exponent <= MOST) & (least >= LEAST)
    if not bool(inside.all()):
        return DOUBLE + 1
    # At most 2^p of the steps; one step alone is a power of two and takes a bit.
    bits = exponent - least - (part == 0.5).double()
    return int(bits.clamp(1, DOUBLE + 1).amax())
