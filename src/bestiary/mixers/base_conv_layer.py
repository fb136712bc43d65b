"""The bare BaseConv layer of the theory: Y = (U W + B1) ⊙ (h * U + B2)."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from bestiary.errors import UserError, counted, unknown_name
from bestiary.mixers.filters import ExplicitFilter, Filter
from bestiary.mixers.sparse_bias import SparseBias
from bestiary.mixers.sparse_weight import SparseWeight

ConvMode = Literal["causal", "circular"]
MODES: tuple[ConvMode, ...] = ("causal", "circular")

LayerState = tuple[Tensor, int]
"""The past inputs of the convolution, (batch, m, width), and the number of positions gone by."""


class BaseConvLayer(nn.Module):
    """Y = (U W + B1) ⊙ (h * U + B2) on U of shape (batch, rows, width), nothing besides.

    Arora et al. 2023, "Zoology" (arXiv 2312.04927), appendix H. U W + B1 is the gate side,
    h * U + B2 the convolution side.

    filter: h, one filter a channel.
    weight: W, (width, width), its rows the input channels, or a ``SparseWeight``; None is the
    identity.
    gate_bias, conv_bias: B1 and B2, each (width,), the same in every row, or (rows, width), or None
    for 0, or a ``SparseBias``. A layer whose biases differ by row takes at most that many rows,
    and in circular mode exactly as many.
    mode: ``causal``, h * U modulo X^rows, or ``circular``, modulo X^rows - 1, which is not causal.

    Tensors given become the layer's parameters as they are; ``UserError`` if their shapes disagree.
    """

    def __init__(
        self,
        filter: Filter,
        weight: Tensor | SparseWeight | None = None,
        gate_bias: Tensor | SparseBias | None = None,
        conv_bias: Tensor | SparseBias | None = None,
        mode: ConvMode = "causal",
    ) -> None:
        super().__init__()
        if mode not in MODES:
            raise unknown_name("BaseConv mode", mode, MODES)
        self.width, self.mode = filter.channels, mode
        _check_weight(weight, self.width)
        self.rows = _rows(self.width, gate_bias, conv_bias)
        self.filter = filter
        self.weight = weight if isinstance(weight, SparseWeight) else _parameter(weight)
        self.gate_bias = _bias(gate_bias)
        self.conv_bias = _bias(conv_bias)

    def kinds(self) -> str:
        """What h, W, B1 and B2 are kept as, in words; parts that are left out are not named."""
        parts: dict[str, object] = {"h": self.filter, "W": self.weight}
        parts |= {"B1": self.gate_bias, "B2": self.conv_bias}
        told = [
            f"{name} {'Tensor' if isinstance(part, Tensor) else type(part).__name__}"
            for name, part in parts.items()
            if part is not None
        ]
        return ", ".join(told)

    def forward(self, u: Tensor) -> Tensor:
        """(batch, rows, width) to the same. ``UserError`` for another shape."""
        self._check_shape(u)
        self.check_rows(u.shape[1])
        return self.gate(u) * self.convolution(u)

    def forward_from(self, u: Tensor, state: LayerState) -> tuple[Tensor, LayerState]:
        """The same for rows that go on from ``state``, and the state after them."""
        self._check_causal()
        self._check_shape(u)
        past, position = state
        self.check_rows(position + u.shape[1])
        mixed, past = self.filter.convolve_from(u, past)
        y = self.gate(u, position) * self._biased(mixed, self.conv_bias, position)
        return y, (past, position + u.shape[1])

    def gate(self, u: Tensor, position: int = 0) -> Tensor:
        """U W + B1 for rows that begin at ``position``."""
        if isinstance(self.weight, SparseWeight):
            u = self.weight(u)
        elif self.weight is not None:
            u = u @ self.weight
        return self._biased(u, self.gate_bias, position)

    def convolution(self, u: Tensor) -> Tensor:
        """h * U + B2 for all rows."""
        return self._biased(self.filter.convolve(u, self.mode), self.conv_bias, 0)

    def initial_state(self, batch: int) -> LayerState:
        """Nothing seen yet. ``UserError`` for a circular layer, which cannot go row by row."""
        self._check_causal()
        return self.filter.initial_past(batch), 0

    def state_size(self, length: int) -> int:
        """Elements of the past inputs kept after ``length`` rows; all of them when circular."""
        rows = self.filter.remembered(length) if self.mode == "causal" else length
        return rows * self.width

    def dense(self, rows: int) -> BaseConvLayer:
        """The same layer for ``rows`` rows with W, h, B1 and B2 as whole arrays.

        The filter has a tap for each row, W and the biases an entry for each channel and row.
        """

        def whole(bias: Tensor | SparseBias | None) -> Tensor:
            return self._biased(taps.new_zeros(1, rows, self.width), bias, 0)[0]

        self.check_rows(rows)
        with torch.no_grad():
            given = self.filter(rows)
            taps = given.new_zeros(rows, self.width)
            taps[: len(given)] = given
            if isinstance(self.weight, SparseWeight):
                weight = self.weight.dense()
            else:
                weight = torch.eye(self.width) if self.weight is None else self.weight.clone()
            return BaseConvLayer(
                ExplicitFilter(taps),
                weight.to(taps),
                whole(self.gate_bias),
                whole(self.conv_bias),
                self.mode,
            )

    @staticmethod
    def _biased(x: Tensor, bias: Tensor | SparseBias | None, position: int) -> Tensor:
        if bias is None:
            return x
        if isinstance(bias, SparseBias):
            return x + bias.between(position, position + x.shape[1]).to(x.dtype)
        return x + (bias if bias.ndim == 1 else bias[position : position + x.shape[1]])

    def check_rows(self, length: int) -> None:
        """``UserError`` where the biases are for another number of rows."""
        if self.rows is None:
            return
        if length > self.rows or (self.mode == "circular" and length != self.rows):
            bound = "exactly" if self.mode == "circular" else "at most"
            raise UserError(
                f"a BaseConv layer with a bias for each of {self.rows} rows was given length "
                f"{length}; it takes {bound} {self.rows} (a bias per channel takes any length)"
            )

    def _check_shape(self, u: Tensor) -> None:
        check_axes(u, "a BaseConv layer", f"{self.width}")
        if u.shape[2] != self.width:
            raise UserError(
                f"a BaseConv layer of width {self.width} was given "
                f"{counted(u.shape[2], 'channel')}; it takes "
                f"as many as it has"
            )

    def _check_causal(self) -> None:
        if self.mode != "causal":
            raise UserError(
                f"a {self.mode} BaseConv layer needs all rows at once; only mode 'causal' goes row "
                "by row"
            )


def check_axes(x: Tensor, what: str, channels: str = "channels") -> None:
    """``UserError`` unless x has the three axes (batch, rows, channels)."""
    if x.ndim != 3:
        raise UserError(
            f"{what} was given an array of shape {tuple(x.shape)}; (batch, rows, {channels}) is "
            "needed"
        )


def _check_weight(weight: Tensor | SparseWeight | None, width: int) -> None:
    if weight is None:
        return
    shape = (weight.width,) * 2 if isinstance(weight, SparseWeight) else tuple(weight.shape)
    if shape != (width, width):
        raise UserError(
            f"the weight of a BaseConv layer has shape {shape}; its filter has "
            f"{counted(width, 'channel')}, "
            f"so ({width}, {width}) is needed"
        )


def _bias(value: Tensor | SparseBias | None) -> nn.Parameter | SparseBias | None:
    return value if isinstance(value, SparseBias) else _parameter(value)


def _parameter(value: Tensor | None) -> nn.Parameter | None:
    return None if value is None else nn.Parameter(value)


def _rows(width: int, *biases: Tensor | SparseBias | None) -> int | None:
    """The number of rows that biases fix, or None where they are the same in every row."""
    rows: set[int] = set()
    for bias in biases:
        if bias is None:
            continue
        if isinstance(bias, SparseBias):
            if bias.width != width:
                raise UserError(
                    f"a bias of a BaseConv layer has "
                    f"{counted(bias.width, 'channel')}; {width} are needed"
                )
            rows |= set() if bias.rows is None else {bias.rows}
            continue
        if bias.ndim not in (1, 2) or bias.shape[-1] != width:
            raise UserError(
                f"a bias of a BaseConv layer has shape {tuple(bias.shape)}; ({width},) or "
                f"(rows, {width}) is needed"
            )
        if bias.ndim == 2:
            rows.add(bias.shape[0])
    if len(rows) > 1:
        raise UserError(
            f"the biases of a BaseConv layer have {sorted(rows)} rows; give them as many"
        )
    return rows.pop() if rows else None
