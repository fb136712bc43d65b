"""Biases of some channels as arrays that broadcast: no larger than what differs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from bestiary.mixers.evaluation.combs import Comb
from bestiary.mixers.evaluation.tables import NONE, BiasTable, Floats, Ints

SMALL = 1 << 18
"""Up to so many numbers a bias is kept as a whole array, more only as its patterns."""


@dataclass(frozen=True)
class Gathered:
    """(channels, 1, rows) that would be large: patterns, and the one of each channel."""

    patterns: Tensor
    which: Tensor
    level: Tensor

    def array(self) -> Tensor:
        """All of it."""
        return (self.patterns.index_select(0, self.which) + self.level)[:, None]


Constant = float | Tensor | Gathered
"""The same everywhere, or (channels or 1, 1, rows or 1)."""


def constant(bias: BiasTable, channels: Ints, first: int, last: int, like: Tensor) -> Constant:
    """What a bias is in some channels and rows, in the dtype and on the device of ``like``."""
    level, pattern = bias.level[channels], bias.pattern[channels]
    used = np.unique(pattern)
    if used.tolist() == [NONE]:
        return float(level[0]) if (level == level[0]).all() else _array(level[:, None, None], like)
    patterns = np.concatenate([np.zeros((1, bias.patterns.shape[1])), bias.patterns])
    columns = patterns[used - NONE][:, first:last]
    which = np.searchsorted(used, pattern)
    if len(columns) == 1 and (level == level[0]).all():
        row = columns[0] + level[0]
        return float(row[0]) if (row == row[0]).all() else _array(row[None, None], like)
    if len(channels) * columns.shape[1] <= max(SMALL, 2 * columns.size):
        return _array((columns[which] + level[:, None])[:, None], like)
    return Gathered(
        _array(columns, like), torch.from_numpy(which).to(like.device), _array(level[:, None], like)
    )


def comb_of(value: Constant, first: int) -> Comb | None:
    """The rows in which a constant is other than 0; None where channels differ, or no comb."""
    if not isinstance(value, Tensor) or value.shape[2] == 1:
        return None
    used = (value != 0)[:, 0]
    if not torch.equal(used, used[:1].expand_as(used)) or not used.any():
        return None
    return Comb.of(used[0].cpu().numpy(), first)


def is_one_in(value: Constant, rows: Comb, first: int) -> bool:
    """Whether a constant is 1 in all of these rows."""
    return isinstance(value, Tensor) and bool((rows.view(value, first) == 1).all())


def array_of(value: Constant) -> float | Tensor:
    """A constant as what broadcasts."""
    return value.array() if isinstance(value, Gathered) else value


def _array(values: Floats, like: Tensor) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values)).to(like)
