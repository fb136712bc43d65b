"""A weight most of whose entries are 0, applied by gathering what is not."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from bestiary.errors import UserError
from bestiary.mixers.entries import check_once, numbers, places

MOST_GATHERS = 8
"""Up to so many entries a column, one gather each is quicker than a product."""
DENSE = 1 / 16
"""A weight of at least this part of entries is multiplied by as a dense one."""


class SparseWeight(nn.Module):
    """u ↦ u W for W (width, width) with few entries, u (…, width).

    sources, targets: row and column of each entry, each pair at most once. values: the entries, a
    parameter: training changes the entries and never the zeros.
    """

    def __init__(
        self,
        width: int,
        sources: Sequence[int] | Tensor,
        targets: Sequence[int] | Tensor,
        values: Tensor,
    ) -> None:
        super().__init__()
        if not len(sources) == len(targets) == len(values):
            raise UserError(
                f"a sparse weight has {len(sources)} rows, {len(targets)} columns and "
                f"{len(values)} values; give one of each an entry"
            )
        self.width = width
        self.values = nn.Parameter(numbers(values, "the values of a sparse weight"))
        self.sources: Tensor
        self.targets: Tensor
        for name, index in (("sources", sources), ("targets", targets)):
            entries = places(index, f"the {name} of a sparse weight")
            outside = entries[(entries < 0) | (entries >= width)]
            if len(outside):
                raise UserError(
                    f"entry {int(outside[0])} lies outside of a weight of width {width}; 0 to "
                    f"{width - 1} are inside"
                )
            self.register_buffer(name, entries)
        told = "a sparse weight has two entries in row {}, column {}; give their sum as one"
        check_once(self.sources, self.targets, width, told)
        self._plan()

    def dense(self) -> Tensor:
        """W as a (width, width) array, differentiable in ``values``."""
        weight = self.values.new_zeros(self.width, self.width)
        return weight.index_put((self.sources, self.targets), self.values)

    def entry_rounds(self) -> list[Tensor]:
        """The entries in rounds; in all but perhaps the last a column has one at most."""
        return [getattr(self, name) for name, _ in self.rounds]

    def forward(self, u: Tensor) -> Tensor:
        """(…, width) to the same."""
        if self.as_dense:
            return u @ self.dense().to(u.dtype)
        values = self.values.to(u.dtype)
        y = u.new_zeros(u.shape)
        for name, whole in self.rounds:
            entries = getattr(self, name)
            part = u.index_select(-1, self.sources[entries]) * values[entries]
            y = y + part if whole else y.index_add(-1, self.targets[entries], part)
        return y

    def _plan(self) -> None:
        """Entries in rounds, the first entry of every column, the second, …, and all that is left.

        A round is whole where it has an entry for every column, in order.
        """
        counts = torch.bincount(self.targets, minlength=self.width)
        most = int(counts.max()) if len(self.targets) else 0
        self.as_dense = most > MOST_GATHERS and len(self.targets) >= DENSE * self.width**2
        self.rounds: list[tuple[str, bool]] = []
        order = torch.argsort(self.targets, stable=True)
        first = torch.cumsum(counts, 0) - counts
        rank = torch.arange(len(order)) - first[self.targets[order]]
        for turn in range(min(most, MOST_GATHERS)):
            self._round(order[rank == turn])
        if most > MOST_GATHERS:
            self._round(order[rank >= MOST_GATHERS])

    def _round(self, entries: Tensor) -> None:
        name = f"round_{len(self.rounds)}"
        self.register_buffer(name, entries, persistent=False)
        columns = self.targets[entries]
        self.rounds.append((name, torch.equal(columns, torch.arange(self.width))))
