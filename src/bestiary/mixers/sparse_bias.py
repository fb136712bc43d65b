"""A bias that is 0 in most channels and rows, or the same in many, kept without what repeats."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from bestiary.errors import UserError
from bestiary.mixers import entries

Column = float | NDArray[np.float64]
"""A number for all rows, or one a row."""


class SparseBias(nn.Module):
    """A bias of ``width`` channels: some the same in every row, some one of a few *patterns*.

    level, level_at: (n,) numbers and the channels that have one in every row, each channel at most
    once. values, places: the entries of the patterns other than 0; entry i lies at row
    places[i] // patterns of pattern places[i] % patterns. pattern_at, pattern: channels, and which
    pattern each adds, numbered from 0 without a gap. rows: how many there are, None where there are
    no patterns.

    level and values are parameters: training changes them and never the zeros, and channels that
    share a pattern go on sharing it.
    """

    def __init__(
        self,
        width: int,
        rows: int | None,
        level: Tensor,
        level_at: Tensor,
        values: Tensor,
        places: Tensor,
        pattern_at: Tensor,
        pattern: Tensor,
    ) -> None:
        super().__init__()
        level = entries.numbers(level, "the levels of a sparse bias")
        values = entries.numbers(values, "the values of a sparse bias")
        level_at = entries.places(level_at, "the channels of levels of a sparse bias")
        places = entries.places(places, "the places of a sparse bias")
        pattern_at = entries.places(pattern_at, "the channels of patterns of a sparse bias")
        pattern = entries.places(pattern, "the patterns of a sparse bias")
        if len(level) != len(level_at) or len(values) != len(places):
            raise UserError(
                f"a sparse bias has {len(level)} levels at {len(level_at)} channels and "
                f"{len(values)} values at {len(places)} places; give as many of each"
            )
        if len(pattern) != len(pattern_at):
            raise UserError(
                f"a sparse bias has {len(pattern)} patterns at {len(pattern_at)} channels; give "
                "one for each"
            )
        self.width, self.rows = width, rows
        _check_inside("pattern", pattern, len(pattern))
        self.patterns = int(pattern.max()) + 1 if len(pattern) else 0
        _check_inside("channel", torch.cat([level_at, pattern_at]), width)
        _check_inside("place", places, self.patterns * (rows or 0))
        self.level, self.values = nn.Parameter(level), nn.Parameter(values)
        self.level_at: Tensor
        self.places: Tensor
        self.pattern_at: Tensor
        self.pattern: Tensor
        for name, index in (
            ("level_at", level_at),
            ("places", places),
            ("pattern_at", pattern_at),
            ("pattern", pattern),
        ):
            self.register_buffer(name, index)

    @classmethod
    def of(cls, width: int, rows: int, columns: Mapping[int, Column]) -> SparseBias:
        """From what each channel adds, a number or (rows,) numbers; float64. Equal ones share."""
        level: dict[int, float] = {}
        at: dict[int, int] = {}
        patterns: list[NDArray[np.float64]] = []
        known: dict[bytes, int] = {}
        for channel, column in columns.items():
            if not isinstance(column, np.ndarray):
                if column:
                    level[channel] = column
                continue
            key = column.tobytes()
            if key not in known:
                known[key] = len(patterns)
                patterns.append(column)
            at[channel] = known[key]
        whole = np.stack(patterns, axis=1) if patterns else np.zeros((0, 0))
        places = np.flatnonzero(whole)
        return cls(
            width,
            rows if patterns else None,
            torch.tensor(list(level.values()), dtype=torch.float64),
            torch.tensor(list(level), dtype=torch.int64),
            torch.from_numpy(whole.ravel()[places]),
            torch.from_numpy(places),
            torch.tensor(list(at), dtype=torch.int64),
            torch.tensor(list(at.values()), dtype=torch.int64),
        )

    def pattern_rows(self) -> Tensor:
        """(rows, patterns), differentiable in ``values``."""
        rows = self.rows or 0
        flat = self.values.new_zeros(rows * self.patterns)
        return flat.index_put((self.places,), self.values).view(rows, self.patterns)

    def uniform(self) -> Tensor:
        """(width,): what every row adds."""
        return self.level.new_zeros(self.width).index_put((self.level_at,), self.level)

    def dense(self) -> Tensor:
        """The bias as a (rows, width) array, or (width,) where no row differs."""
        return self.uniform() if self.rows is None else self.between(0, self.rows)

    def between(self, first: int, stop: int) -> Tensor:
        """Rows ``first`` to ``stop`` - 1, or (width,) where no row differs."""
        if self.rows is None:
            return self.uniform()
        columns = self.pattern_rows()[first:stop].index_select(1, self.pattern)
        return self.uniform().repeat(len(columns), 1).index_add(1, self.pattern_at, columns)


def _check_inside(what: str, indices: Tensor, stop: int) -> None:
    outside = indices[(indices < 0) | (indices >= stop)]
    if len(outside):
        raise UserError(f"{what} {int(outside[0])} lies outside of a sparse bias with {stop} of it")
