"""What a compiled program costs, beside what the paper promises and what cannot be beaten."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from bestiary.compile.bounds import Bound
from bestiary.compile.compiling import Compiled
from bestiary.compile.degree import degree, depth_floor
from bestiary.mixers.base_conv_layer import BaseConvLayer
from bestiary.mixers.base_conv_stack import BaseConvStack
from bestiary.mixers.filter_parts import FilterParts
from bestiary.mixers.filters import Filter
from bestiary.mixers.sparse_bias import SparseBias
from bestiary.mixers.sparse_weight import SparseWeight
from bestiary.mixers.tap_filter import TapFilter

KALEIDOSCOPE = (
    "a layer's W counts r·(8·m·log2 m + m) numbers, m the power of two ≥ d' and r the most entries "
    "in a column: r selections, each a diagonal times a member of (BB*)^2, whose four butterflies "
    "have 2·m·log2 m numbers each; never more than the d'² of the dense W. h, B1 and B2 count "
    "N'·d' each"
)
"""How ``Parameters.kaleidoscope`` is counted (docs/theory.md, 'BaseConv')."""

_INNER, _WIDTH = "N'", "d'"


@dataclass(frozen=True)
class Parameters:
    """Numbers in the weights of a stack.

    dense: of whole arrays, L·(d'² + 3·N'·d'). nonzero: entries of those that are not 0. stored:
    what the stack holds, repeated columns of biases once. kaleidoscope: see ``KALEIDOSCOPE``.
    """

    dense: int
    nonzero: int
    stored: int
    kaleidoscope: int


@dataclass(frozen=True)
class Report:
    """An (N, L, d, N', d')-BaseConv, its parameters, its degree and floor, and others' bounds.

    degree: the least of what is known of the program and of what is counted of it as it was written
    and of its layers. floor: ⌈log2 degree⌉ layers, None for linear maps.
    bounds: what others, such as the paper, need for the same, by name.
    """

    name: str
    mode: str
    rows: int
    layers: int
    inputs: int
    inner_rows: int
    width: int
    delay: int
    parameters: Parameters
    degree: int
    floor: int | None
    bounds: Mapping[str, Bound]

    def as_json(self) -> dict[str, Any]:
        """Everything, with the formula of the kaleidoscope count."""
        return asdict(self) | {"kaleidoscope_counts": KALEIDOSCOPE}

    def __str__(self) -> str:
        p = self.parameters
        sizes = {"compiled": Bound(self.layers, self.inner_rows, self.width), **self.bounds}
        lines = [
            f"{self.name}: {self.rows} × {self.inputs} ({self.mode}, delay {self.delay})",
            f"  {'':24}{'layers':>10}{_INNER:>10}{_WIDTH:>10}",
            *(
                f"  {who:<24}{_told(s.layers)}{_told(s.inner_rows)}{_told(s.width)}  {s.source}"
                for who, s in sizes.items()
            ),
            f"  {f'floor, degree {self.degree}':<24}{_told(self.floor)}",
            f"  parameters: {p.dense:,} dense, {p.nonzero:,} not 0, {p.stored:,} stored, "
            f"{p.kaleidoscope:,} with W as kaleidoscopes",
        ]
        return "\n".join(line.rstrip() for line in lines)


def measure(compiled: Compiled, bounds: Mapping[str, Bound] | None = None) -> Report:
    """Count a compiled program. bounds: what it is set beside, such as the paper's layers."""
    source, stack = compiled.source, compiled.stack
    of_program = _degree(compiled)
    assert stack.inner_length is not None
    return Report(
        name=source.name,
        mode=source.mode,
        rows=source.rows,
        layers=len(stack.layers),
        inputs=source.width,
        inner_rows=stack.inner_length,
        width=stack.width,
        delay=stack.delay,
        parameters=parameters_of(stack, stack.inner_length),
        degree=of_program,
        floor=depth_floor(of_program),
        bounds=dict(bounds or {}),
    )


def _degree(compiled: Compiled) -> int:
    """The least degree that is known: passes leave out products that are 0."""
    known = compiled.source.degree
    if known == 1:
        return 1
    counted = min(degree(compiled.source), degree(compiled.placed))
    return counted if known is None else min(known, counted)


def parameters_of(stack: BaseConvStack, rows: int) -> Parameters:
    """The numbers in the weights of a stack on ``rows`` rows."""
    width, layers = stack.width, stack.layers
    with torch.no_grad():
        return Parameters(
            dense=len(layers) * (width**2 + 3 * rows * width),
            nonzero=sum(_nonzero(layer, rows) for layer in layers),
            stored=sum(p.numel() for p in stack.parameters()),
            kaleidoscope=sum(
                _kaleidoscope(layer.weight, width) + 3 * rows * width for layer in layers
            ),
        )


def _nonzero(layer: BaseConvLayer, rows: int) -> int:
    weight = layer.weight
    if isinstance(weight, SparseWeight):
        entries = _count(weight.values)
    else:
        entries = layer.width if weight is None else _count(weight)
    biases = sum(_bias_nonzero(bias, rows) for bias in (layer.gate_bias, layer.conv_bias))
    return entries + _filter_nonzero(layer.filter, rows) + biases


def _filter_nonzero(h: Filter, rows: int) -> int:
    if isinstance(h, TapFilter):
        return _count(h.values)
    if isinstance(h, FilterParts):
        return sum(_filter_nonzero(part, rows) for part in h.parts)
    return _count(h(rows))


def _bias_nonzero(bias: Tensor | SparseBias | None, rows: int) -> int:
    if bias is None:
        return 0
    if not isinstance(bias, SparseBias):
        return _count(bias) * (rows if bias.ndim == 1 else 1)
    if set(bias.level_at.tolist()) & set(bias.pattern_at.tolist()):
        return _count(bias.dense())
    of_pattern = torch.count_nonzero(bias.pattern_rows(), dim=0)
    return _count(bias.level) * rows + int(of_pattern[bias.pattern].sum())


def _count(values: Tensor) -> int:
    return int(torch.count_nonzero(values))


def _kaleidoscope(weight: Tensor | SparseWeight | None, width: int) -> int:
    if weight is None:
        return 0
    if isinstance(weight, SparseWeight):
        used = weight.targets[weight.values != 0]
        counts = torch.bincount(used, minlength=1)
    else:
        counts = torch.count_nonzero(weight, dim=0)
    m = 1 << max(0, math.ceil(math.log2(width)))
    selection = 8 * m * (m.bit_length() - 1) + m
    return min(int(counts.max()) * selection, width**2)


def _told(number: int | None) -> str:
    return f"{'–' if number is None else number:>10}"
