"""A BaseConv as Hyena operators of order 1 (docs/theory.md, 'BaseConv as Hyena').

Y = (U W + B1) ⊙ (h * U + B2) is nearly p ⊙ (g * v), an operator of order 1 with projections p and v
of its input. What is missing is B2, which a channel cannot hold beside h * U, and a B1 that differs
from row to row, for a projection does not. Both cost channels:

* *split*: for each channel with a B2, a second one of (U W + B1) ⊙ B2. The next projection adds the
  two; after the last layer an output map does.
* *row bias*: for each channel whose B1 in the *next* layer differs by row, one that holds it.
  Before the first layer nothing can make it, so an operator more comes before.

The paper has two channels more, one of ones and an impulse whose filter is the bias. A projection
with a bias makes the ones, and the filter that turns ones into rows b is b[0], b[1] - b[0], ….
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from bestiary.compile.base_conv_program import LayerArrays, StackArrays, stack_arrays
from bestiary.compile.constants import Array
from bestiary.compile.verify import agree
from bestiary.errors import UserError
from bestiary.mixers.filters import ExplicitFilter
from bestiary.mixers.hyena import Hyena


class HyenaStack(nn.Module):
    """Hyena operators of order 1 inside a zero-padded array, read back from its first channels.

    operators: applied in order, each on (batch, rows, width). read: how many channels are read,
    from row ``delay`` on. length: the most rows it takes. names: what each channel holds after each
    operator, "" for nothing.
    """

    def __init__(
        self,
        operators: Sequence[Hyena],
        read: int,
        length: int,
        delay: int,
        names: Sequence[Sequence[str]],
    ) -> None:
        super().__init__()
        self.operators = cast("Sequence[Hyena]", nn.ModuleList(operators))
        self.width = operators[0].d_model
        self.read, self.length, self.delay = read, length, delay
        self.names = tuple(tuple(after) for after in names)

    def forward(self, x: Tensor) -> Tensor:
        """(batch, rows, d) to (batch, rows, channels read)."""
        rows = x.shape[1]
        if rows > self.length or x.shape[2] > self.width:
            raise UserError(
                f"a stack of Hyena operators for {self.length} rows of at most {self.width} "
                f"channels was given {rows} rows of {x.shape[2]}"
            )
        u = functional.pad(x, (0, self.width - x.shape[2], 0, self.delay))
        for operator in self.operators:
            u = operator(u)
        return u[:, self.delay : self.delay + rows, : self.read]

    def state_size(self, length: int) -> int:
        """Elements that the operators keep after ``length`` rows."""
        return sum(operator.state_size(length) for operator in self.operators)


def to_hyena(module: nn.Module, length: int) -> HyenaStack:
    """A causal BaseConv, or a stack of its layers, as Hyena operators; up to ``length`` rows.

    L layers become L operators of order 1 without short convolutions, L + 1 where the first B1
    differs by row. With d' channels in the BaseConv they have d' + the most split and row-bias
    channels after any layer: d' without biases, at most 2·d' with a number a channel, at most 3·d'
    with one a row. The last one has an output map where there are splits to add, channels to pick
    or an output map of the BaseConv's own. float64.

    ``UserError`` for a circular one, since Hyena is causal, and where the operators differ from the
    module's own forward in float64 by more than 1e-9 relative.
    """
    reference = copy.deepcopy(module).to("cpu", torch.float64).eval()
    arrays = stack_arrays(reference, length)
    if arrays.mode != "causal":
        raise UserError(f"a {arrays.mode} BaseConv cannot become Hyena operators, which are causal")
    made = HyenaStack(*operators_of(arrays))
    d_model = len(arrays.channels)
    agree(made, reference, length, d_model, what="the Hyena form of a BaseConv")
    return made


@dataclass(frozen=True)
class Layer:
    """A layer to be written as an operator.

    split: its channels with a B2. row_biased: channels of the next layer with a B1 by row.
    """

    arrays: LayerArrays
    split: tuple[int, ...]
    row_biased: tuple[int, ...]

    @property
    def width(self) -> int:
        """d', of the BaseConv."""
        return len(self.arrays.weight)

    @property
    def channels(self) -> int:
        """Of the operator's output."""
        return self.width + len(self.split) + len(self.row_biased)


def operators_of(
    arrays: StackArrays,
) -> tuple[list[Hyena], int, int, int, list[list[str]]]:
    """The arguments of ``HyenaStack``."""
    layers = layers_of(arrays)
    width = max(layer.channels for layer in layers)
    operators: list[Hyena] = []
    names: list[list[str]] = []
    before: Layer | None = None
    for number, layer in enumerate(layers, start=1 + len(arrays.layers) - len(layers)):
        following = layers[len(operators) + 1] if layer.row_biased else None
        operators.append(operator_of(layer, before, following, width))
        names.append(names_of(layer, number, width))
        before = layer
    last = layers[-1]
    sums = summing(last, width)[:, list(arrays.channels)]
    weight, bias = arrays.output or (np.eye(sums.shape[1]), np.zeros(sums.shape[1]))
    if arrays.output is not None or last.split or arrays.channels != tuple(range(sums.shape[1])):
        operators[-1].output = output_map(sums @ weight, bias, width)
    return operators, weight.shape[1], arrays.length, arrays.delay, names


def layers_of(arrays: StackArrays) -> list[Layer]:
    """The layers, after one that passes its input on where the first B1 differs by row."""
    rows, width = arrays.rows, arrays.width
    given = list(arrays.layers)
    if differs_by_row(given[0].gate_bias):
        delta = np.zeros((rows, width))
        delta[0] = 1
        none, ones = np.zeros((rows, width)), np.ones((rows, width))
        given.insert(0, LayerArrays(np.zeros((width, width)), delta, ones, none))
    following = [differs_by_row(layer.gate_bias) for layer in given[1:]] + [()]
    return [
        Layer(layer, tuple(np.flatnonzero(layer.conv_bias.any(axis=0)).tolist()), after)
        for layer, after in zip(given, following, strict=True)
    ]


def differs_by_row(bias: Array) -> tuple[int, ...]:
    """The channels whose rows are not all the same."""
    return tuple(np.flatnonzero((bias != bias[0]).any(axis=0)).tolist())


def operator_of(layer: Layer, before: Layer | None, following: Layer | None, width: int) -> Hyena:
    """p ⊙ (g * v) for the channels of a layer, then its splits, then the next row biases."""
    d, arrays = layer.width, layer.arrays
    split, row_biased = list(layer.split), list(layer.row_biased)
    read = np.eye(width, d) if before is None else summing(before, width)
    gate_weight, gate_bias = read @ arrays.weight, arrays.gate_bias[0].copy()
    if before is not None and before.row_biased:
        held = list(before.row_biased)
        first = before.width + len(before.split)
        gate_weight[range(first, first + len(held)), held] += 1
        gate_bias[held] = 0

    rows = len(arrays.taps)
    p, p_bias = np.zeros((width, width)), np.zeros(width)
    v, v_bias = np.zeros((width, width)), np.zeros(width)
    filters = np.zeros((rows, width))
    p[:, :d], p_bias[:d], v[:, :d], filters[:, :d] = gate_weight, gate_bias, read, arrays.taps
    at = slice(d, d + len(split))
    p[:, at], p_bias[at], v_bias[at] = gate_weight[:, split], gate_bias[split], 1
    filters[:, at] = differences(arrays.conv_bias[:, split])
    if following is not None:
        at = slice(at.stop, at.stop + len(row_biased))
        p_bias[at], v_bias[at] = 1, 1
        filters[:, at] = differences(following.arrays.gate_bias[:, row_biased])

    made = Hyena(width, order=1, short_taps=0, max_length=rows, output_projection=False).double()
    with torch.no_grad():
        made.projection.weight.copy_(torch.from_numpy(np.concatenate([v, p], axis=1).T))
        made.projection.bias.copy_(torch.from_numpy(np.concatenate([v_bias, p_bias])))
    made.long = cast(
        "Sequence[ExplicitFilter]", nn.ModuleList([ExplicitFilter(torch.from_numpy(filters))])
    )
    return made


def differences(rows: Array) -> Array:
    """The filter that makes ``rows`` of a channel of ones."""
    return np.diff(rows, axis=0, prepend=0)


def summing(layer: Layer, width: int) -> Array:
    """(width, d'): what reads a layer's output back, splits added."""
    out = np.eye(width, layer.width)
    split = list(layer.split)
    out[range(layer.width, layer.width + len(split)), split] = 1
    return out


def output_map(weight: Array, bias: Array, width: int) -> nn.Linear:
    """A linear map of (width, channels) on an array of ``width``, the other channels 0."""
    made = nn.Linear(width, width).double()
    with torch.no_grad():
        made.weight.zero_()[: weight.shape[1]] = torch.from_numpy(weight.T)
        made.bias.zero_()[: len(bias)] = torch.from_numpy(bias)
    return made


def names_of(layer: Layer, number: int, width: int) -> list[str]:
    """What each channel holds, "" for nothing; layer 0 is the one that passes its input on."""
    names = [f"(u W + B1)·(h * u) {number}.{c}" for c in range(layer.width)]
    names += [f"(u W + B1)·B2 {number}.{c}" for c in layer.split]
    names += [f"B1 {number + 1}.{c}" for c in layer.row_biased]
    return names + [""] * (width - len(names))
