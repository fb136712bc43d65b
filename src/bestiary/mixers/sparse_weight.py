"""A weight most of whose entries are 0, applied by gathering what is not."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from bestiary.errors import UserError

MOST_GATHERS = 8
"""Up to so many entries a column, one gather each is quicker than a product."""


class SparseWeight(nn.Module):
    """u ↦ u W for W (width, width) with few entries, u (…, width).

    sources, targets: row and column of each entry, each pair at most once. values: the entries, a
    parameter: training changes the entries and never the zeros.
    """

    def __init__(
        self, width: int, sources: Sequence[int], targets: Sequence[int], values: Tensor
    ) -> None:
        super().__init__()
        if not len(sources) == len(targets) == len(values):
            raise UserError(
                f"a sparse weight has {len(sources)} rows, {len(targets)} columns and "
                f"{len(values)} values; give one of each an entry"
            )
        outside = [i for i in (*sources, *targets) if not 0 <= i < width]
        if outside:
            raise UserError(
                f"entry {outside[0]} lies outside of a weight of width {width}; 0 to {width - 1} "
                "are inside"
            )
        self.width = width
        self.values = nn.Parameter(values)
        self.sources: Tensor
        self.targets: Tensor
        self.register_buffer("sources", torch.tensor(sources, dtype=torch.int64))
        self.register_buffer("targets", torch.tensor(targets, dtype=torch.int64))
        self._plan()

    def dense(self) -> Tensor:
        """W as a (width, width) array, differentiable in ``values``."""
        weight = self.values.new_zeros(self.width, self.width)
        return weight.index_put((self.sources, self.targets), self.values)

    def forward(self, u: Tensor) -> Tensor:
        """(…, width) to the same."""
        if not self.gathers:
            return u @ self.dense().to(u.dtype)
        values = self.values.to(u.dtype)
        y = None
        for entries, targets in self.gathers:
            part = u.index_select(-1, self.sources[entries]) * values[entries]
            if targets is not None:
                part = u.new_zeros(u.shape).index_copy_(-1, targets, part)
            y = part if y is None else y + part
        return u.new_zeros(u.shape) if y is None else y

    def _plan(self) -> None:
        """Entries in rounds, each with at most one a column."""
        counts = torch.bincount(self.targets, minlength=self.width)
        most = int(counts.max()) if len(self.targets) else 0
        self.gathers: list[tuple[Tensor, Tensor | None]] = []
        if most > MOST_GATHERS or not len(self.targets):
            return
        order = torch.argsort(self.targets, stable=True)
        first = torch.cumsum(counts, 0) - counts
        rank = torch.arange(len(order)) - first[self.targets[order]]
        for turn in range(most):
            entries = order[rank == turn]
            targets = self.targets[entries]
            whole = len(entries) == self.width
            self.gathers.append((entries, None if whole else targets))
