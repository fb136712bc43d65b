"""A stack of bare BaseConv layers inside a zero-padded array, read back from a stated place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from bestiary.errors import UserError, counted
from bestiary.mixers.base_conv_layer import BaseConvLayer, LayerState, check_axes
from bestiary.mixers.evaluation import PlanCache

StackState = list[LayerState]


class BaseConvStack(nn.Module):
    """An (N, L, d, N', d')-BaseConv: pad N × d to N' × d', L layers, read N × d back.

    Arora et al. 2023, "Zoology" (arXiv 2312.04927), appendix H, definition of the model. The input
    lies at row 0 in channels 0..d-1 of the internal array, the rest of which is 0.

    layers: applied in order; all of one width d'.
    channels: the internal channels the output is read from, in order; an int means the first so
    many. The input may have any number of channels up to d'.
    inner_length: N'. None makes the array just long enough: length + delay.
    delay: output row t is internal row t + delay.
    read_rows: how many rows are read; None for as many as are given.

    The stack takes any length N with N + delay ≤ N', and is a mixer (batch, N, d) → (batch, N, d)
    when it reads as many channels as it is given. Row by row only where its rows can be had in
    order: all layers causal and no delay.
    """

    def __init__(
        self,
        layers: Sequence[BaseConvLayer],
        channels: int | Sequence[int],
        *,
        inner_length: int | None = None,
        delay: int = 0,
        read_rows: int | None = None,
    ) -> None:
        super().__init__()
        if not layers:
            raise UserError("a BaseConv stack has no layers; give at least one")
        widths = [layer.width for layer in layers]
        if len(set(widths)) > 1:
            raise UserError(f"the layers of a BaseConv stack have widths {widths}; give them one")
        if delay < 0:
            raise UserError(f"the delay of a BaseConv stack is {delay}; it must be 0 or more")
        self.layers = cast("Sequence[BaseConvLayer]", nn.ModuleList(layers))
        self.width, self.delay = widths[0], delay
        self.channels = tuple(range(channels) if isinstance(channels, int) else channels)
        outside = [c for c in self.channels if not 0 <= c < self.width]
        if outside:
            raise UserError(
                f"channel {outside[0]} cannot be read from a BaseConv stack of inner width "
                f"{self.width}; channels are 0 to {self.width - 1}"
            )
        self.inner_length, self.read_rows = inner_length, read_rows
        self.read_from: Tensor
        self.register_buffer("read_from", torch.tensor(self.channels), persistent=False)
        self._plans = PlanCache()

    @property
    def causal(self) -> bool:
        """Whether the form itself keeps output row t from seeing inputs after t."""
        reads_along = self.delay == 0 and self.read_rows is None
        return reads_along and all(layer.mode == "causal" for layer in self.layers)

    def dense(self) -> BaseConvStack:
        """The same stack with W, h, B1 and B2 of every layer as whole arrays, on N' rows.

        ``UserError`` where N' is not fixed: a dense layer has as many rows as its biases.
        """
        rows = self.inner_length or next((x.rows for x in self.layers if x.rows), None)
        if rows is None:
            raise UserError(
                "a BaseConv stack that takes any length has no dense form; give it an inner_length"
            )
        return BaseConvStack(
            [layer.dense(rows) for layer in self.layers],
            self.channels,
            inner_length=rows,
            delay=self.delay,
            read_rows=self.read_rows,
        )

    def __repr__(self) -> str:
        """A line of sizes, then one for each kind of layer, however many layers there are."""
        count = len(self.layers)
        modes = "/".join(sorted({layer.mode for layer in self.layers}))
        rows = "any" if self.inner_length is None else self.inner_length
        read = "" if self.read_rows is None else f", {counted(self.read_rows, 'row')} read"
        kinds = Counter(layer.kinds() for layer in self.layers)
        lines = [f"  {number} × ({kind})" for kind, number in kinds.items()]
        head = (
            f"{type(self).__name__}({counted(count, 'layer')}, N'={rows}, "
            f"d'={self.width}, {modes}, delay={self.delay}{read}, "
            f"{counted(len(self.channels), 'channel')} read"
        )
        return "\n".join([head, *lines]) + ")"

    def forward(self, x: Tensor, state: StackState | None = None) -> Any:
        """(batch, length, d) to (batch, length, channels read); with a state, (y, new state).

        ``UserError`` for an array of other axes, too many channels or too many rows.
        """
        check_axes(x, "a BaseConv stack")
        if state is not None:
            self._check_causal()
            return self._forward_from(x, state)
        length = x.shape[1]
        rows, read = self._rows(length), self.read_rows or length
        self._check_width(x)
        window = (self.delay, self.delay + read)
        plan = self._plans.plan(self.layers, self.channels, x, rows, window)
        if plan is not None:
            return plan(x)
        u = self._pad(x, rows - length)
        for layer in self.layers:
            u = layer(u)
        return self._read(u[:, self.delay : self.delay + read])

    def initial_state(self, batch: int) -> StackState:
        """One state a layer. ``UserError`` where the stack is circular or has a delay."""
        self._check_causal()
        return [layer.initial_state(batch) for layer in self.layers]

    def step(self, x_t: Tensor, state: StackState) -> tuple[Tensor, StackState]:
        """One row, (batch, d) to (batch, channels read), and the state after it."""
        self._check_causal()
        if x_t.ndim != 2:
            raise UserError(
                f"a step of a BaseConv stack was given an array of shape {tuple(x_t.shape)}; "
                "(batch, channels) is needed"
            )
        y, state = self._forward_from(x_t[:, None], state)
        return y[:, 0], state

    def state_size(self, length: int) -> int:
        """Elements that the layers keep after ``length`` rows."""
        return sum(layer.state_size(length) for layer in self.layers)

    def _forward_from(self, x: Tensor, state: StackState) -> tuple[Tensor, StackState]:
        self._rows(state[0][1] + x.shape[1])
        u, after = self._pad(x, 0), []
        for layer, before in zip(self.layers, state, strict=True):
            u, new = layer.forward_from(u, before)
            after.append(new)
        return self._read(u), after

    def _check_width(self, x: Tensor) -> None:
        if x.shape[2] > self.width:
            raise UserError(
                f"a BaseConv stack of inner width {self.width} was given "
                f"{counted(x.shape[2], 'channel')}; it "
                f"takes at most {self.width}"
            )

    def _pad(self, x: Tensor, rows: int) -> Tensor:
        self._check_width(x)
        columns = self.width - x.shape[2]
        return functional.pad(x, (0, columns, 0, rows)) if rows or columns else x

    def _read(self, u: Tensor) -> Tensor:
        count = len(self.channels)
        if self.channels == tuple(range(count)):
            return u[..., :count] if count < self.width else u
        return u.index_select(-1, self.read_from)

    def _rows(self, length: int) -> int:
        needed = max(length, (self.read_rows or length) + self.delay)
        if self.inner_length is None:
            return needed
        if needed > self.inner_length:
            raise UserError(
                f"a BaseConv stack of inner length {self.inner_length} and delay {self.delay} was "
                f"given length {length}; it takes at most {self.inner_length - self.delay}"
            )
        return self.inner_length

    def _check_causal(self) -> None:
        if not self.causal:
            raise UserError(
                "a BaseConv stack that is circular or read at a delay needs all rows at once and "
                "cannot go row by row"
            )
