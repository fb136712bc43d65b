"""Tokens that came more than once before: by which of their places they are answered."""

from __future__ import annotations

from typing import Literal, cast, get_args

import torch
from torch import Tensor

from bestiary.errors import unknown_name

Repeat = Literal["first", "latest"]
"""The first earlier place of a token, or the latest."""


def accepted_repeat(repeat: str) -> Repeat:
    """``repeat`` as a rule; ``UserError`` listing them where it is none."""
    if repeat not in get_args(Repeat):
        raise unknown_name("repeat", str(repeat), get_args(Repeat))
    return cast(Repeat, repeat)


def equal_runs(tokens: Tensor) -> tuple[Tensor, Tensor]:
    """Places of each row by ascending token, a stable sort, and where runs of equal tokens start.

    int64 and bool, both (batch, length).
    """
    ordered, order = tokens.sort(dim=1, stable=True)
    starts = torch.ones_like(ordered, dtype=torch.bool)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    return order, starts


def occurrences_before(tokens: Tensor) -> Tensor:
    """How many earlier tokens of its row each token equals; int64 (batch, length) to the same."""
    order, starts = equal_runs(tokens)
    places = torch.arange(tokens.shape[1], device=tokens.device).expand_as(tokens)
    # A stable sort keeps equal tokens in order, so that a place within its run is a count.
    run = torch.where(starts, places, 0).cummax(dim=1).values
    return torch.zeros_like(tokens).scatter_(1, order, places - run)


class RepeatTally:
    """How many queries had a key that came more than once before."""

    def __init__(self) -> None:
        self.asked = self.repeated = 0

    def add(self, tokens: Tensor, positions: Tensor | None) -> None:
        """Count the queries of a batch; arguments as ``SolverModel`` is called with."""
        before = occurrences_before(tokens).flatten()
        self.count((before if positions is None else before.index_select(0, positions)) > 1)

    def count(self, repeated: Tensor) -> None:
        """Count queries, of which those that are true had a repeated key."""
        self.asked += len(repeated)
        self.repeated += int(repeated.sum())

    def take(self, consequence: str) -> list[str]:
        """A sentence that ends in ``consequence`` where there were such; counts from 0 again."""
        asked, repeated = self.asked, self.repeated
        self.asked = self.repeated = 0
        if not repeated:
            return []
        return [
            f"{repeated:,} of {asked:,} queries had a key that came more than once before, and "
            f"{consequence}"
        ]
