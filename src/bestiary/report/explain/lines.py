"""Which channels of a layer are shown, and in which order: what is new first, a name once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

UNNAMED = "intermediate values"
"""The group of channels to which nobody gave a name."""
KEPT = ("carried", "copied")


@dataclass(frozen=True)
class Line:
    """One line of a heat map: a channel, and all that hold the same under the same name.

    how: what it is made from. matters: whether a query's answer goes through it. copies: how many
    channels hold it. distance: how many rows above it looks, where its name says so.
    """

    name: str
    group: str
    channel: int
    role: str
    delay: int
    how: str
    distance: int | None = None
    matters: bool = False
    copies: int = 1

    @property
    def kept(self) -> bool:
        """Whether the layer before had it too."""
        return self.role in KEPT


def same_values(lines: Sequence[Line], products: NDArray[np.float64]) -> list[list[int]]:
    """Numbers of the lines that have one name and one column of ``products``, (rows, lines).

    The first of each list is the one that was computed rather than kept, where there is one.
    """
    found: dict[tuple[str, bytes], list[int]] = {}
    for number, line in enumerate(lines):
        # -0 is 0.
        key = (line.name, (products[:, number] + 0.0).tobytes())
        found.setdefault(key, []).append(number)
    rank = {role: place for place, role in enumerate(reversed(KEPT), 1)}
    return [sorted(same, key=lambda i: rank.get(lines[i].role, 0)) for same in found.values()]


def order(lines: Sequence[Line]) -> list[int]:
    """Numbers of the lines, group by group: those with something new first, then by their names."""
    new = {line.group for line in lines if not line.kept}
    first = {line.group: -number for number, line in reversed(list(enumerate(lines)))}
    return sorted(
        range(len(lines)),
        key=lambda i: (
            lines[i].group not in new,
            lines[i].group == UNNAMED,
            -first[lines[i].group],
            lines[i].group,
            natural(lines[i].name),
            lines[i].channel,
        ),
    )


def natural(name: str) -> list[tuple[int, str]]:
    """A key by which ``−9`` comes before ``−10``."""
    parts = re.split(r"(\d+)", name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def chosen(lines: Sequence[Line], products: NDArray[np.float64], most: int) -> list[int]:
    """Which of the lines are kept where there are more than ``most``, in their order.

    Those that matter, then one of each group, then those with the largest numbers.
    """
    if len(lines) <= most:
        return list(range(len(lines)))
    sizes = np.max(np.abs(np.nan_to_num(products, posinf=np.inf)), axis=0, initial=0)
    seen: set[str] = set()
    ranks = []
    for number, line in enumerate(lines):
        ranks.append((not line.matters, line.group in seen, -float(sizes[number]), number))
        seen.add(line.group)
    return sorted(rank[-1] for rank in sorted(ranks)[:most])
