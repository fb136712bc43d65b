"""Hyena: projections of the input that gate one another through long implicit filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

import torch
from torch import Tensor, nn

from bestiary.errors import UserError, unknown_name
from bestiary.imports import check_options
from bestiary.mixers.filters import ExplicitFilter, Filter, noisy_delta
from bestiary.mixers.implicit_filter import ImplicitFilter
from bestiary.mixers.projection import unit_linear

FirstFilter = Literal["implicit", "identity"]
FIRST_FILTERS: tuple[FirstFilter, ...] = ("implicit", "identity")

HyenaState = list[Tensor]
"""Past inputs of each convolution, (batch, m, channels), in the order they are applied."""


class LinearMap(NamedTuple):
    """u ↦ u · weight + bias: weight (…, in, out), bias (…, out), float64."""

    weight: Tensor
    bias: Tensor


class ShortFilters(NamedTuple):
    """Depthwise filters of the projections: taps (order + 1, taps, d), bias (order + 1, d)."""

    taps: Tensor
    bias: Tensor


class Hyena(nn.Module):
    """z^ℓ = p^ℓ ⊙ (h^ℓ * z^(ℓ-1)) for ℓ = 1..order; the output is z^order, projected.

    Poli et al. 2023, "Hyena Hierarchy" (arXiv 2302.10866), definition 3.1. z^0 and p^1..p^order are
    linear maps of the input, each followed by a depthwise causal convolution of ``short_taps`` taps
    and a bias (0 taps: neither). It starts by passing its input on, with noise of energy
    ``short_noise``² in its taps: taps drawn at random blur three tokens into one, and recall starts
    late from there (docs/studies/hyena-start.yaml). The h^ℓ are ``ImplicitFilter`` s, which get
    ``filter_options``; their skip term is the D of published code, folded into tap 0.

    order counts long filters: order 2 here has two. ``first_filter="identity"`` makes h^1 = δ, so
    that z^1 = p^1 ⊙ z^0: published code does that and has order - 1 long filters.
    output_projection: a linear map of z^order at the end.

    ``projections``, ``short_filters``, ``long_filters`` and ``output_map`` give every part as
    float64 arrays, exactly as ``forward`` uses them.
    """

    def __init__(
        self,
        d_model: int,
        *,
        order: int = 2,
        short_taps: int = 3,
        short_noise: float = 0.3,
        max_length: int = 1024,
        first_filter: FirstFilter = "implicit",
        filter_options: Mapping[str, Any] | None = None,
        output_projection: bool = True,
    ) -> None:
        super().__init__()
        if order < 1:
            raise UserError(f"order of Hyena is {order}; it must be at least 1")
        if short_taps < 0:
            raise UserError(f"short_taps of Hyena is {short_taps}; it must be 0 or more")
        if first_filter not in FIRST_FILTERS:
            raise unknown_name("Hyena first_filter", first_filter, FIRST_FILTERS)
        options = filter_options or {}
        check_options(ImplicitFilter, options, "Hyena filter", skip=("channels", "max_length"))
        self.d_model, self.order = d_model, order
        channels = (order + 1) * d_model
        self.projection = unit_linear(d_model, channels)
        self.short: Filter | None = None
        self.short_bias: nn.Parameter | None = None
        if short_taps:
            self.short = ExplicitFilter(noisy_delta(channels, short_taps, short_noise))
            self.short_bias = nn.Parameter(torch.zeros(channels))
        long = (
            ImplicitFilter(d_model, max_length=max_length, **options)
            for _ in range(order - (first_filter == "identity"))
        )
        self.long = cast("Sequence[Filter]", nn.ModuleList(long))
        self.output = unit_linear(d_model, d_model) if output_projection else None

    def forward(self, x: Tensor, state: HyenaState | None = None) -> Any:
        """(batch, length, d_model) to the same; with a state, (y, new state)."""
        if state is None:
            return self._mix(x, None)[0]
        return self._mix(x, list(state))

    def initial_state(self, batch: int) -> HyenaState:
        """No past inputs, for the short convolution and every long one."""
        return [h.initial_past(batch) for h in self._filters()]

    def step(self, x_t: Tensor, state: HyenaState) -> tuple[Tensor, HyenaState]:
        """One position, (batch, d_model), and the state after it."""
        y, state = self._mix(x_t[:, None], list(state))
        return y[:, 0], state

    def state_size(self, length: int) -> int:
        """min(length, short_taps - 1) rows of all projections, and every z^(ℓ-1) for long h^ℓ."""
        return sum(h.remembered(length) * h.channels for h in self._filters())

    def projections(self) -> LinearMap:
        """Of z^0, p^1, …, p^order: weight (order + 1, d, d), bias (order + 1, d)."""
        weight = self.projection.weight.detach().double().reshape(-1, self.d_model, self.d_model)
        return LinearMap(weight.mT, self.projection.bias.detach().double().view(-1, self.d_model))

    def short_filters(self) -> ShortFilters | None:
        """The short convolutions of z^0, p^1, …, or None where there are none."""
        if self.short is None or self.short_bias is None or self.short.taps is None:
            return None
        taps = self.short(self.short.taps).detach().double()
        by_projection = taps.view(self.short.taps, -1, self.d_model).transpose(0, 1)
        return ShortFilters(by_projection, self.short_bias.detach().double().view(-1, self.d_model))

    def long_filters(self, length: int) -> Tensor:
        """h^1..h^order with their skip terms, (order, length, d); a δ where h^1 is the identity."""
        filters = [h(length).detach().double() for h in self.long]
        if len(filters) < self.order:
            delta = torch.zeros(length, self.d_model, dtype=torch.float64)
            delta[0] = 1
            filters.insert(0, delta.to(self.projection.weight.device))
        return torch.stack(filters)

    def output_map(self) -> LinearMap | None:
        """The output projection, or None where there is none."""
        if self.output is None:
            return None
        return LinearMap(
            self.output.weight.detach().double().mT, self.output.bias.detach().double()
        )

    def _filters(self) -> list[Filter]:
        return [h for h in (self.short, *self.long) if h is not None]

    def _mix(self, x: Tensor, past: HyenaState | None) -> tuple[Tensor, HyenaState]:
        """The whole operator, from the ``past`` of each convolution or from the start."""
        after: HyenaState = []

        def convolve(h: Filter, u: Tensor) -> Tensor:
            if past is None:
                return h.convolve(u)
            y, new = h.convolve_from(u, past[len(after)])
            after.append(new)
            return y

        u = self.projection(x)
        if self.short is not None and self.short_bias is not None:
            u = convolve(self.short, u) + self.short_bias
        z, *gates = u.split(self.d_model, dim=-1)
        skipped = self.order - len(self.long)
        for gate in gates[:skipped]:
            z = gate * z
        for gate, h in zip(gates[skipped:], self.long, strict=True):
            z = gate * convolve(h, z)
        return (z if self.output is None else self.output(z)), after
