"""Which of many costs no other beats."""

from __future__ import annotations

from collections.abc import Sequence


def unbeaten(costs: Sequence[tuple[int, ...]]) -> list[bool]:
    """For each of some tuples of costs, whether no other one is lower in one and higher in none."""
    return [
        not any(
            other != own and all(a <= b for a, b in zip(other, own, strict=True)) for other in costs
        )
        for own in costs
    ]
