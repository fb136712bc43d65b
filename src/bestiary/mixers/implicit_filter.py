"""Long filters written by a small network over positions (Poli et al. 2023, arXiv 2302.10866)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from bestiary.errors import UserError
from bestiary.mixers.filters import Filter
from bestiary.mixers.full_precision import full_precision

WINDOW_FLOOR = 0.01
"""What is left of the exponential window at a channel's reach."""


class ImplicitFilter(Filter):
    """h[t] = window(t) · network(features(t)), with a tap for every distance t (section 3.3).

    features(t): t/L and the real and imaginary parts of exp(2πi·k·t/L), k = 1..bands, where L is
    ``max_length``; distances beyond L continue both features and window.
    network: ``depth`` hidden layers of ``hidden`` units with sine activation, then a linear map to
    channels. The first layer's sine is of ``frequency`` times its argument: higher starts with
    filters that change faster from tap to tap. Arguments start with variance 1 (times frequency²)
    over weights and with uniform phases.
    window(t): exponential in t, falling to 1 % after reach · L positions, with ``reach`` spread
    evenly over channels from ``reach[0]`` to ``reach[1]``. Recall needs to hear what was long ago
    as loudly as what was just now, so the default reach is long and the default frequency low
    (docs/studies/hyena-start.yaml compares).
    skip: learn one more number a channel, added to tap 0 (the D term of state-space models); it
    starts as a standard normal.
    scale: at the start the expected sum of squares over L taps is scale² in every channel.
    """

    def __init__(
        self,
        channels: int,
        *,
        max_length: int,
        hidden: int = 32,
        depth: int = 2,
        bands: int = 8,
        frequency: float = 1.0,
        reach: tuple[float, float] = (1.0, 10.0),
        skip: bool = True,
        scale: float = 1.0,
    ) -> None:
        super().__init__()
        least = {"max_length": max_length, "hidden": hidden, "depth": depth}
        for name, value in least.items():
            if value < 1:
                raise UserError(f"{name} of an implicit filter is {value}; it must be at least 1")
        if bands < 0:
            raise UserError(f"bands of an implicit filter is {bands}; it must be 0 or more")
        if len(reach) != 2 or not 0 < reach[0] <= reach[1]:
            raise UserError(
                f"reach of an implicit filter is {list(reach)}; it must be two fractions of "
                "max_length, both above 0, the smaller one first"
            )
        if frequency <= 0:
            raise UserError(f"frequency of an implicit filter is {frequency}; it must be above 0")
        self.channels, self.taps = channels, None
        self.max_length, self.bands, self.frequency = max_length, bands, frequency
        self.reach = (reach[0], reach[1])
        widths = [2 * bands + 1, *[hidden] * depth]
        layers = (nn.Linear(fan_in, fan_out) for fan_in, fan_out in itertools.pairwise(widths))
        self.layers = cast("Sequence[nn.Linear]", nn.ModuleList(layers))
        for layer, turn in zip(self.layers, [frequency, *[1.0] * (depth - 1)], strict=True):
            nn.init.normal_(layer.weight, std=math.sqrt(2 / layer.in_features))
            nn.init.uniform_(layer.bias, -math.pi / turn, math.pi / turn)
        # Sines of uniform phase have mean square 1/2.
        energy = hidden / 2 * self.window(max_length, torch.float32).square().sum(0)
        self.output = nn.Parameter(torch.randn(hidden, channels) * scale / energy.sqrt())
        self.skip = nn.Parameter(torch.randn(channels)) if skip else None

    def features(self, length: int, dtype: torch.dtype, device: torch.device) -> Tensor:
        """What the network reads of each distance, (length, 2 · bands + 1)."""
        time = torch.arange(length, dtype=dtype, device=device)[:, None] / self.max_length
        bands = torch.arange(1, self.bands + 1, dtype=dtype, device=device)
        angle = 2 * math.pi * time * bands
        return torch.cat([time, angle.cos(), angle.sin()], dim=1)

    def window(self, length: int, dtype: torch.dtype, device: torch.device | None = None) -> Tensor:
        """The exponential window, (length, channels)."""
        time = torch.arange(length, dtype=dtype, device=device)[:, None] / self.max_length
        reach = torch.linspace(*self.reach, self.channels, dtype=dtype, device=device)
        return torch.exp(math.log(WINDOW_FLOOR) * time / reach)

    def forward(self, length: int) -> Tensor:
        """The first ``length`` taps, (length, channels)."""
        with full_precision(self.output):
            return self._taps(length)

    def _taps(self, length: int) -> Tensor:
        dtype, device = self.working_dtype, self.output.device
        x = self.features(length, dtype, device)
        frequency = self.frequency
        for layer in self.layers:
            x = functional.linear(x, layer.weight.to(dtype), layer.bias.to(dtype))
            x, frequency = torch.sin(frequency * x), 1.0
        h = (x @ self.output.to(dtype)) * self.window(length, dtype, device)
        if self.skip is None:
            return h
        return torch.cat([h[:1] + self.skip.to(dtype), h[1:]])
