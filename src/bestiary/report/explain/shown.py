"""Which lines of a step are drawn while its groups are closed, and what stands for a group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestiary.report.explain.lines import Line
from bestiary.report.explain.step import Step
from bestiary.runs.explained import Query

OPEN = 8
"""A group of up to so many lines is drawn line by line; of a larger one, twice as many at most."""


@dataclass(frozen=True)
class Item:
    """What is drawn as one line: a channel, or the largest numbers of a group.

    lines: numbers of the lines of the step. match: whether the question's answer goes through it.
    """

    name: str
    lines: tuple[int, ...]
    match: bool = False

    def values(self, array: NDArray[np.float64]) -> NDArray[np.float64]:
        """(rows,): of a group the largest in size in each row, NaN where none has a number."""
        part = array[list(self.lines)]
        where = np.argmax(np.where(np.isnan(part), -1.0, np.abs(part)), axis=0)
        picked: NDArray[np.float64] = part[where, np.arange(part.shape[1])]
        return picked


def shown_items(step: Step, query: Query | None) -> list[Item]:
    """What is drawn of a step: new channels, or those kept where nothing is new."""
    every_kept = all(line.kept for line in step.lines)
    groups: dict[str, list[int]] = {}
    for number, line in enumerate(step.lines):
        if every_kept or not line.kept:
            groups.setdefault(line.group, []).append(number)
    items = []
    for group, numbers in groups.items():
        lines = numbers
        if len(numbers) > OPEN:
            every = step.sizes.get(group, len(numbers))
            told = f"{len(numbers)} of {every}" if every > len(numbers) else str(every)
            items.append(Item(f"{group} ({told})", tuple(numbers)))
            lines = [n for n in numbers if is_match(step.lines[n], query)][: 2 * OPEN]
        items += [_channel(step.lines[n], n, query) for n in lines]
    return items


def _channel(line: Line, number: int, query: Query | None) -> Item:
    name = f"{line.name} ×{line.copies}" if line.copies > 1 else line.name
    return Item(name, (number,), is_match(line, query))


def is_match(line: Line, query: Query | None) -> bool:
    """Whether a line looks as many rows above as the question's key stands."""
    return query is not None and line.distance is not None and line.distance == query.distance


def lit(step: Step, query: Query, rows: Sequence[int]) -> dict[str, float | None]:
    """What the channels of the question's distance hold in its row, by name; None for no number."""
    if query.row not in rows:
        return {}
    column = list(rows).index(query.row)
    held = step.product[:, column]
    return {
        line.name: float(held[number]) if np.isfinite(held[number]) else None
        for number, line in enumerate(step.lines)
        if not line.kept and is_match(line, query)
    }
