"""The two cells that circuits by levels and in batches are made of: a sum, and a product."""

from __future__ import annotations

from collections.abc import Iterable

from bestiary.compile.cell import Cell
from bestiary.compile.constants import Scalar
from bestiary.compile.expression import Value
from bestiary.compile.taps import shift_by


def sum_cell(
    name: str, layer: int, wires: Iterable[Value], weights: Iterable[Scalar], bias: Scalar
) -> Cell:
    """Σ weights · wires + bias: a gate side, times 1."""
    return Cell(
        width=1,
        name=name,
        delay=0,
        gate=tuple(wires),
        weights=tuple(weights),
        gate_bias=bias,
        conv_bias=1,
        layer=layer,
    )


def product_cell(
    name: str,
    layer: int,
    wires: Iterable[Value],
    weights: Iterable[Scalar],
    bias: Scalar,
    convolved: Value,
    scale: Scalar = 1,
    conv_bias: Scalar = 0,
) -> Cell:
    """(Σ weights · wires + bias) · (scale · convolved + conv_bias)."""
    return Cell(
        width=1,
        name=name,
        delay=0,
        gate=tuple(wires),
        weights=tuple(weights),
        gate_bias=bias,
        convolved=convolved,
        taps=shift_by(0).scaled(scale),
        conv_bias=conv_bias,
        layer=layer,
    )
