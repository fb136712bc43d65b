"""A cell: what one channel of one BaseConv layer computes, and all that a layer can."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from bestiary.compile.constants import Scalar
from bestiary.compile.expression import Value
from bestiary.compile.rows import Rows
from bestiary.compile.taps import Taps

RowNumber = Scalar | Rows
"""The same number in every row, or ``Rows`` of one channel."""


@dataclass(frozen=True, eq=False, repr=False, slots=True, kw_only=True)
class Cell(Value):
    """(Σ weights[i] · gate[i] + gate_bias) ⊙ (taps * convolved + conv_bias), one channel.

    The operands are *wires*: values of one channel, each a cell or one channel read of an input.
    convolved and taps are None where the convolution side is ``conv_bias`` alone. In a layer the
    convolved wire has to lie in the channel where this cell comes to lie, the others anywhere.

    layer: the layer that computes it, 1 the first, None before scheduling. channel: where it lies
    when computed, None before allocation.
    """

    gate: tuple[Value, ...] = ()
    weights: tuple[Scalar, ...] = ()
    gate_bias: RowNumber = 0
    convolved: Value | None = None
    taps: Taps | None = None
    conv_bias: RowNumber = 0
    layer: int | None = None
    channel: int | None = None

    @property
    def operands(self) -> tuple[Value, ...]:
        """The wires of the gate side, then the convolved one."""
        return self.gate if self.convolved is None else (*self.gate, self.convolved)

    def remade(self, operands: Sequence[Value], **changes: Any) -> Value:
        """The same cell on other wires."""
        gates = len(self.gate)
        convolved = None if self.convolved is None else operands[gates]
        return replace(self, gate=tuple(operands[:gates]), convolved=convolved, **changes)
