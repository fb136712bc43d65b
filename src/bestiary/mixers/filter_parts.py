"""Filters of several kinds, each on channels of its own: a convolution only where it is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, cast

import torch
from torch import Tensor, nn

from bestiary.errors import UserError, counted
from bestiary.mixers.entries import places
from bestiary.mixers.filters import Filter


class FilterParts(Filter):
    """The filters of ``parts``, part i on channels at[i] of ``channels``; 0 on all others.

    at: the channels of each part, as many as it has filters; no channel twice.
    """

    def __init__(
        self, channels: int, parts: Sequence[Filter], at: Sequence[Sequence[int] | Tensor]
    ) -> None:
        super().__init__()
        if not parts or len(parts) != len(at):
            raise UserError(
                f"a filter has {len(parts)} parts and channels for {len(at)}; give channels for "
                "each of at least one part"
            )
        self.parts = cast("Sequence[Filter]", nn.ModuleList(parts))
        where = [places(channel, "the channels of a part of a filter") for channel in at]
        for part, own in zip(parts, where, strict=True):
            if part.channels != len(own):
                raise UserError(
                    f"a part of a filter has {counted(part.channels, 'channel')} and lies at "
                    f"{len(own)}; give a place for each"
                )
        every = torch.cat(where)
        if len(every.unique()) < len(every) or (every < 0).any() or (every >= channels).any():
            raise UserError(
                f"the parts of a filter lie at channels {every.tolist()}; each of 0 to "
                f"{channels - 1} can have one part"
            )
        self.channels = channels
        taps = [part.taps for part in parts]
        self.taps = None if None in taps else max(cast("list[int]", taps))
        for i, own in enumerate(where):
            self.register_buffer(f"at_{i}", own)

    def places(self, part: int) -> Tensor:
        """The channels of a part."""
        return cast("Tensor", getattr(self, f"at_{part}"))

    def forward(self, length: int) -> Tensor:
        """(min(length, taps), channels)."""
        rows = length if self.taps is None else min(length, self.taps)
        like = next(self.parameters())
        taps = torch.zeros(rows, self.channels, dtype=self.working_dtype, device=like.device)
        for i, part in enumerate(self.parts):
            own = part(length).to(taps.dtype)
            taps[: len(own)] = taps[: len(own)].index_add(1, self.places(i), own)
        return taps

    def convolve(self, u: Tensor, mode: Literal["causal", "circular"] = "causal") -> Tensor:
        """h * u part by part, (batch, length, channels)."""
        y = torch.zeros_like(u)
        for i, part in enumerate(self.parts):
            at = self.places(i)
            y = y.index_copy(-1, at, part.convolve(u.index_select(-1, at), mode))
        return y
