"""A filter with taps at a few powers, applied by moving rows instead of a convolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor, nn

from bestiary.errors import UserError
from bestiary.mixers.filters import Filter


class TapFilter(Filter):
    """h = Σ values · X^power, each entry for one channel.

    powers, at: power and channel of each entry, each pair at most once. values: the entries, a
    parameter: training changes the taps there are and adds none.
    """

    def __init__(
        self, channels: int, powers: Sequence[int], at: Sequence[int], values: Tensor
    ) -> None:
        super().__init__()
        if not len(powers) == len(at) == len(values):
            raise UserError(
                f"a filter has {len(powers)} powers, {len(at)} channels and {len(values)} values; "
                "give one of each a tap"
            )
        if any(power < 0 for power in powers):
            raise UserError(f"a filter has a tap at power {min(powers)}; a power is 0 or more")
        self.channels = channels
        self.taps = max(powers, default=0) + 1
        self.values = nn.Parameter(values)
        self.powers: Tensor
        self.at: Tensor
        self.register_buffer("powers", torch.tensor(powers, dtype=torch.int64))
        self.register_buffer("at", torch.tensor(at, dtype=torch.int64))
        self._plan()

    def forward(self, length: int) -> Tensor:
        """(min(length, taps), channels)."""
        assert self.taps is not None
        taps = torch.zeros(
            self.taps, self.channels, dtype=self.working_dtype, device=self.values.device
        )
        return taps.index_put((self.powers, self.at), self.values.to(taps.dtype))[:length]

    def convolve(self, u: Tensor, mode: Literal["causal", "circular"] = "causal") -> Tensor:
        """h * u by moving the rows of u, (batch, length, channels)."""
        values = self.values.to(u.dtype)
        y = torch.zeros_like(u)
        length = u.shape[1]
        for power, entries, at in self.moves:
            part = u if at is None else u.index_select(-1, at)
            if mode == "circular":
                part = part.roll(power % length, dims=1) if power % length else part
                first = 0
            elif power >= length:
                continue
            else:
                part, first = part[:, : length - power], power
            part = part * values[entries]
            if at is None:
                y[:, first:] += part
            else:
                y[:, first:].index_add_(-1, at, part)
        return y

    def _plan(self) -> None:
        """For each power its entries and channels; None where every channel has one, in order."""
        self.moves: list[tuple[int, Tensor, Tensor | None]] = []
        for power in sorted(set(self.powers.tolist())):
            entries = torch.nonzero(self.powers == power)[:, 0]
            entries = entries[torch.argsort(self.at[entries])]
            at = self.at[entries]
            self.moves.append((power, entries, None if len(at) == self.channels else at))
