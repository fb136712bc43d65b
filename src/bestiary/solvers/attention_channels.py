"""Features of the attention that is set by hand, and the channels in which they stand."""

from __future__ import annotations

from torch import Tensor


class Channels:
    """Where features stand among the channels; feature f at f and its negative at count + f."""

    def __init__(self, token_bits: int, place_bits: int) -> None:
        self.token = slice(0, token_bits)
        self.previous = slice(token_bits, 2 * token_bits)
        self.place = slice(2 * token_bits, 2 * token_bits + place_bits)
        self.before = slice(self.place.stop, self.place.stop + place_bits)
        self.first = self.before.stop
        self.count = self.first + 1
        self.width = 2 * self.count

    def both(self, features: slice, values: Tensor) -> Tensor:
        """(rows, width): ``values`` (rows, len(features)) in their channels and as negatives."""
        row = values.new_zeros(len(values), self.width)
        row[:, features] = values
        row[:, self.count + features.start : self.count + features.stop] = -values
        return row
