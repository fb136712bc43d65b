"""BaseConv as a mixer to train: a gated convolution, (u W + B1) ⊙ (h * u + B2)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import torch
from torch import Tensor, nn

from bestiary.errors import UserError, unknown_name
from bestiary.imports import check_options
from bestiary.mixers.base_conv_layer import BaseConvLayer, ConvMode
from bestiary.mixers.base_conv_stack import BaseConvStack, StackState
from bestiary.mixers.filters import ExplicitFilter, Filter, random_taps
from bestiary.mixers.implicit_filter import ImplicitFilter
from bestiary.mixers.projection import unit_linear

FilterKind = Literal["short", "long", "implicit"]
BiasKind = Literal["channel", "row", "none"]
FILTERS: tuple[FilterKind, ...] = ("short", "long", "implicit")
SHORT_TAPS = 3
BIASES: tuple[BiasKind, ...] = ("channel", "row", "none")


class BaseConv(nn.Module):
    """y = (u W + B1) ⊙ (h * u + B2), exactly (Arora et al. 2023, arXiv 2312.04927, appendix H).

    filter: ``implicit``, a network over positions; ``long``, explicit with ``max_length`` taps (0
    beyond them); ``short``, explicit with ``taps`` taps (None: 3), which sees taps - 1 positions
    back and so recalls nothing by itself. filter_options go to ``ImplicitFilter`` or to
    ``random_taps``.
    bias: B1 and B2 ``channel`` by channel, or by ``row`` and channel, which fixes the greatest
    length (``inner_length``, else ``max_length``), or ``none``.
    layers, inner_width, inner_length, delay: so many bare layers inside an array of that width and
    length, read back at that delay, see ``BaseConvStack``; by default one layer of d_model.
    mode: ``circular`` convolutions, like a delay, let outputs depend on later inputs; both are
    refused unless ``lookahead`` says that this is meant.
    output_projection: a linear map after the layers, which is not part of the theory's form.

    At the start W has normal entries of std 1/√width, B1 is ``gate_bias`` and B2 is
    ``conv_bias`` everywhere.
    """

    def __init__(
        self,
        d_model: int,
        *,
        filter: FilterKind = "implicit",
        taps: int | None = None,
        max_length: int = 1024,
        filter_options: Mapping[str, Any] | None = None,
        bias: BiasKind = "channel",
        gate_bias: float = 0.0,
        conv_bias: float = 0.0,
        mode: ConvMode = "causal",
        lookahead: bool = False,
        layers: int = 1,
        inner_width: int | None = None,
        inner_length: int | None = None,
        delay: int = 0,
        output_projection: bool = False,
    ) -> None:
        super().__init__()
        if bias not in BIASES:
            raise unknown_name("BaseConv bias", bias, BIASES)
        width = d_model if inner_width is None else inner_width
        if width < d_model:
            raise UserError(f"inner_width is {width}; it must be at least d_model, {d_model}")
        if layers < 1:
            raise UserError(f"layers of BaseConv is {layers}; it must be at least 1")
        if taps is not None and filter != "short":
            raise UserError(
                f"taps is {taps}, but only filter 'short' has taps; this one is {filter!r}"
            )
        rows = (max_length if inner_length is None else inner_length,) if bias == "row" else ()

        def layer() -> BaseConvLayer:
            def constant(start: float) -> Tensor | None:
                return None if bias == "none" else torch.full((*rows, width), start)

            weight = torch.randn(width, width) / math.sqrt(width)
            h = make_filter(filter, width, taps, max_length, filter_options or {})
            return BaseConvLayer(h, weight, constant(gate_bias), constant(conv_bias), mode)

        self.stack = BaseConvStack(
            [layer() for _ in range(layers)], d_model, inner_length=inner_length, delay=delay
        )
        if not (self.stack.causal or lookahead):
            raise UserError(
                f"BaseConv with mode {mode!r} and delay {delay} is not causal: outputs depend on "
                "later inputs; set lookahead to true if that is meant"
            )
        self.output = unit_linear(d_model, d_model) if output_projection else None

    def forward(self, x: Tensor, state: StackState | None = None) -> Any:
        """(batch, length, d_model) to the same; with a state, (y, new state)."""
        if state is None:
            return self._project(self.stack(x))
        y, state = self.stack(x, state)
        return self._project(y), state

    def initial_state(self, batch: int) -> StackState:
        """No past inputs. ``UserError`` where the mixer is not causal."""
        return self.stack.initial_state(batch)

    def step(self, x_t: Tensor, state: StackState) -> tuple[Tensor, StackState]:
        """One position, (batch, d_model), and the state after it."""
        y, state = self.stack.step(x_t, state)
        return self._project(y), state

    def state_size(self, length: int) -> int:
        """Past inputs of every layer: min(length, taps - 1) rows of its width, or all rows."""
        return self.stack.state_size(length)

    def _project(self, y: Tensor) -> Tensor:
        return y if self.output is None else self.output(y)


def make_filter(
    kind: FilterKind, channels: int, taps: int | None, max_length: int, options: Mapping[str, Any]
) -> Filter:
    """The filter of that kind; ``UserError`` for a kind or an option that there is not."""
    if kind not in FILTERS:
        raise unknown_name("BaseConv filter", kind, FILTERS)
    what = f"BaseConv filter {kind!r}"
    if kind == "implicit":
        check_options(ImplicitFilter, options, what, skip=("channels", "max_length"))
        return ImplicitFilter(channels, max_length=max_length, **options)
    check_options(random_taps, options, what, skip=("channels", "taps"))
    if kind == "long":
        taps = max_length
    return ExplicitFilter(random_taps(channels, SHORT_TAPS if taps is None else taps, **options))
