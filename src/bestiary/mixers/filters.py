"""Depthwise causal filters that are learned, and the state a convolution with one carries."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from bestiary.errors import UserError
from bestiary.operators import conv


class Filter(nn.Module):
    """One filter a channel, as a module: ``filter(length)`` gives the taps, newest input first.

    Subclasses set ``channels`` and ``taps`` (None where there is a tap for every distance) and
    return from ``forward(length)`` an array of shape (min(length, taps), channels), in float32 or
    wider. Tap k must not depend on ``length``, or stepping would differ from the whole pass.

    The state of a convolution is its past inputs, (batch, m, channels), oldest first, where m grows
    from 0 to at most taps - 1.
    """

    channels: int
    taps: int | None

    def forward(self, length: int) -> Tensor:
        """The first ``length`` taps, or all there are when those are fewer."""
        raise NotImplementedError

    @property
    def working_dtype(self) -> torch.dtype:
        """float64 for a float64 module, else float32: taps are never computed in less."""
        return torch.promote_types(next(self.parameters()).dtype, torch.float32)

    def convolve(self, u: Tensor, mode: Literal["causal", "circular"] = "causal") -> Tensor:
        """h * u for u (batch, length, channels), modulo the length when ``mode`` is circular."""
        return conv(u, self(u.shape[1]), mode)

    def remembered(self, length: int) -> int:
        """Past inputs a channel must keep after ``length`` positions."""
        return length if self.taps is None else min(length, self.taps - 1)

    def initial_past(self, batch: int) -> Tensor:
        """The past before the first position, (batch, 0, channels)."""
        parameter = next(self.parameters())
        return parameter.new_zeros(batch, 0, self.channels)

    def convolve_from(self, u: Tensor, past: Tensor) -> tuple[Tensor, Tensor]:
        """h * u where ``past`` came before u. Returns (batch, length, channels) and the new past.

        u is (batch, length, channels). A single position is summed directly: a transform over all
        of the past would be wasted on one output.
        """
        seen = torch.cat([past, u], dim=1)
        taps = self(seen.shape[1])
        if u.shape[1] == 1:
            reach = seen[:, seen.shape[1] - taps.shape[0] :].to(taps.dtype)
            y = (reach * taps.flip(0)).sum(dim=1, keepdim=True).to(u.dtype)
        else:
            y = conv(seen, taps)[:, past.shape[1] :]
        return y, seen[:, seen.shape[1] - self.remembered(seen.shape[1]) :]


class ExplicitFilter(Filter):
    """Every tap a parameter. values: (taps, channels), used as given."""

    def __init__(self, values: Tensor) -> None:
        super().__init__()
        if values.ndim != 2 or values.shape[0] < 1:
            raise UserError(
                f"filter taps have shape {tuple(values.shape)}; (taps, channels) with at least one "
                "tap is needed"
            )
        self.taps, self.channels = values.shape
        self.values = nn.Parameter(values)

    def forward(self, length: int) -> Tensor:
        """(min(length, taps), channels); past the last tap the filter is 0."""
        return self.values[:length].to(self.working_dtype)


def random_taps(channels: int, taps: int, *, scale: float = 1.0, decay: float = 0.0) -> Tensor:
    """Normal taps whose expected sum of squares a channel is scale², (taps, channels) float32.

    decay: standard deviations fall as exp(-decay · k / taps) with the distance k, so that a long
    filter starts by looking at what is near; 0 treats all distances alike. White input of variance
    1 comes out with variance scale² on average, whatever the number of taps.
    """
    if taps < 1:
        raise UserError(f"taps is {taps}; a filter needs at least 1")
    if scale < 0:
        raise UserError(f"scale is {scale}; a filter's scale must be 0 or more")
    if decay < 0:
        raise UserError(f"decay is {decay}; a filter's decay must be 0 or more")
    envelope = torch.exp(-decay * torch.arange(taps) / taps)
    return torch.randn(taps, channels) * (scale * envelope / envelope.norm())[:, None]


def noisy_delta(channels: int, taps: int, noise: float) -> Tensor:
    """Taps that pass their input on, plus normal noise of the given scale, (taps, channels).

    noise: the expected sum of squares a channel that is added to the 1 at distance 0 is noise².
    """
    if noise < 0:
        raise UserError(f"the noise of a filter is {noise}; it must be 0 or more")
    values = random_taps(channels, taps, scale=noise)
    values[0] += 1
    return values
