"""What a model that no program was compiled to holds on its way, to be explained step by step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from torch import Tensor


@dataclass(frozen=True)
class Working:
    """One step on one example.

    title: such as ``layer 1``. sentence: what the step does. names: of its channels, no two alike
    and as programs have them: ``match −3.0`` is channel 0 of the match 3 rows above. numbers:
    (length, channels) float64, NaN where there is none. how: what channels are made from, by the
    words that their names have in common. What an earlier step has under the same name, with the
    same numbers, counts as kept.
    """

    title: str
    sentence: str
    names: tuple[str, ...]
    numbers: NDArray[np.float64]
    how: Mapping[str, str] = field(default_factory=dict)


@runtime_checkable
class HasWorkings(Protocol):
    """A model that tells its steps itself, as it has no compiled stack."""

    def workings(self, tokens: Tensor) -> tuple[Working, ...]:
        """The steps, the input first and the head last; tokens: int64 (1, length)."""
        ...


def by_distance(
    word: str, columns: Mapping[int, NDArray[np.float64]]
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Names and numbers of channels that look so many rows above, those alone that are not 0.

    columns: (length,) by distance. At least one stays.
    """
    seen = [s for s, column in columns.items() if np.nan_to_num(column).any()] or [*columns][:1]
    return tuple(f"{word} −{s}" for s in seen), stacked(columns[s] for s in seen)


def stacked(columns: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
    """(length, channels) float64 of channels, each (length,)."""
    return np.stack([np.asarray(column, dtype=np.float64) for column in columns], axis=1)
