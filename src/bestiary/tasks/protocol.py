"""What a task is: a frozen config that yields batches by index and can solve its own examples.

A task depends on numpy alone. Everything it yields is a function of (config, split, segment,
index), so a stream is never materialised and any worker can make any part of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bestiary.errors import unknown_name

IGNORE = -100
"""The label of a position that is not scored (torch's ``cross_entropy`` skips it by default)."""

Split = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = ("train", "validation", "test")


def as_split(name: str | Split) -> Split:
    """``name`` as a split; ``UserError`` listing them where it is none."""
    if name not in SPLITS:
        raise unknown_name("split", str(name), SPLITS)
    return name


@dataclass(frozen=True)
class Batch:
    """A rectangular batch of examples, all of one segment.

    tokens: int64 (batch, length).
    labels: int64 (batch, length), the right token where a position is scored, else ``IGNORE``;
        aligned with ``tokens``: the label at t is what the model must say after reading t.
    info: what metrics can be sliced by. Each value is (batch,), one number an example, or
        (batch, length), one number a position (meaningful where labelled). MQAR gives
        ``pairs`` (batch,) and ``gap`` (batch, length): query position minus the position of the
        key in the context.
    """

    tokens: NDArray[np.int64]
    labels: NDArray[np.int64]
    info: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def positions(self) -> NDArray[np.int64]:
        """Flat indices into (batch · length) of the labelled positions, ascending."""
        return np.flatnonzero(self.labels.reshape(-1) != IGNORE)

    @property
    def targets(self) -> NDArray[np.int64]:
        """The labels at ``positions``."""
        return self.labels.reshape(-1)[self.positions]


@dataclass(frozen=True)
class StreamSegment:
    """One rectangular part of a stream: ``examples`` examples of one length and difficulty.

    pairs is the number of things to be recalled in each example (key-value pairs in MQAR).
    chance is the accuracy of guessing among the answers that this example allows.
    """

    length: int
    pairs: int
    examples: int
    chance: float


class Stream(Protocol):
    """The examples of one split, by index."""

    @property
    def segments(self) -> Sequence[StreamSegment]:
        """The parts this split has, none of them empty."""
        ...

    def examples(self, segment: int, indices: NDArray[np.int64] | range) -> Batch:
        """Examples ``indices`` of segment number ``segment``; the same bytes at every call.

        Any order of indices is allowed; runs within one block of 1,024 are the fast case.
        """
        ...


@runtime_checkable
class Task(Protocol):
    """A frozen, hashable config that can yield streams."""

    @property
    def vocab_size(self) -> int:
        """Tokens and labels are below this."""
        ...

    @property
    def max_length(self) -> int:
        """The longest example over all splits."""
        ...

    def stream(self, split: Split) -> Stream:
        """The examples of one split; nothing is drawn before it is asked for."""
        ...

    def solve(self, tokens: NDArray[np.int64]) -> NDArray[np.int64]:
        """Labels (batch, length) found from the tokens alone, ``IGNORE`` where nothing is asked."""
        ...
