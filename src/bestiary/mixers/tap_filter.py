"""A filter with taps at a few powers, applied by moving rows instead of a convolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor, nn

from bestiary.errors import UserError
from bestiary.mixers.entries import check_once, numbers, places
from bestiary.mixers.filters import Filter


class TapFilter(Filter):
    """h = Σ values · X^power, each entry for one channel.

    powers, at: power and channel of each entry, each pair at most once. values: the entries, a
    parameter: training changes the taps there are and adds none.
    """

    def __init__(
        self,
        channels: int,
        powers: Sequence[int] | Tensor,
        at: Sequence[int] | Tensor,
        values: Tensor,
    ) -> None:
        super().__init__()
        if not len(powers) == len(at) == len(values):
            raise UserError(
                f"a filter has {len(powers)} powers, {len(at)} channels and {len(values)} values; "
                "give one of each a tap"
            )
        moved = places(powers, "the powers of a filter")
        channel = places(at, "the channels of taps of a filter")
        if len(moved) and int(moved.min()) < 0:
            raise UserError(f"a filter has a tap at power {int(moved.min())}; a power is 0 or more")
        outside = channel[(channel < 0) | (channel >= channels)]
        if len(outside):
            raise UserError(
                f"a filter has a tap at channel {int(outside[0])}; it has channels 0 to "
                f"{channels - 1}"
            )
        told = "a filter has two taps at power {} of channel {}; give their sum as one"
        check_once(moved, channel, channels, told)
        self.channels = channels
        self.taps = int(moved.max()) + 1 if len(moved) else 1
        self.values = nn.Parameter(numbers(values, "the taps of a filter"))
        self.powers: Tensor
        self.at: Tensor
        self.register_buffer("powers", moved)
        self.register_buffer("at", channel)
        self._plan()

    def forward(self, length: int) -> Tensor:
        """(min(length, taps), channels)."""
        assert self.taps is not None
        rows = min(length, self.taps)
        kept = self.powers < length if rows < self.taps else slice(None)
        taps = torch.zeros(rows, self.channels, dtype=self.working_dtype, device=self.values.device)
        where = (self.powers[kept], self.at[kept])
        return taps.index_put(where, self.values[kept].to(taps.dtype))

    def convolve(self, u: Tensor, mode: Literal["causal", "circular"] = "causal") -> Tensor:
        """h * u by moving the rows of u, (batch, length, channels)."""
        values = self.values.to(u.dtype)
        y = torch.zeros_like(u)
        length = u.shape[1]
        for power, name, whole in self.moves:
            entries = getattr(self, name)
            at = self.at[entries]
            part = u if whole else u.index_select(-1, at)
            if mode == "circular":
                part = part.roll(power % length, dims=1) if power % length else part
                first = 0
            elif power >= length:
                continue
            else:
                part, first = part[:, : length - power], power
            part = part * values[entries]
            if whole:
                y[:, first:] += part
            else:
                y[:, first:].index_add_(-1, at, part)
        return y

    def _plan(self) -> None:
        """For each power its entries, and whether every channel has one, in order."""
        self.moves: list[tuple[int, str, bool]] = []
        for power in self.powers.unique().tolist():
            entries = torch.nonzero(self.powers == power)[:, 0]
            entries = entries[torch.argsort(self.at[entries])]
            name = f"move_{len(self.moves)}"
            self.register_buffer(name, entries, persistent=False)
            self.moves.append((power, name, len(entries) == self.channels))
