"""What summary.json holds, and its shape, by which a file of something else is told from ours."""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from bestiary.runs.owned import section_of
from bestiary.tasks.duplicates import Duplicates, count_duplicates
from bestiary.tasks.protocol import SPLITS, StreamSegment, Task


class CompiledSummary(BaseModel):
    """What a compiled model adds: its size (``solvers.protocol.Size``) and notes on its inputs."""

    model_config = ConfigDict(strict=True, extra="allow")

    layers: int
    width: int
    rows: int
    delay: int
    dense: int
    notes: list[str] = []


class HasState(Protocol):
    """A model that says what it carries."""

    def state_size(self, length: int) -> int:
        """Elements for one sequence after ``length`` positions."""
        ...


def state_sizes(model: HasState, task: Task) -> dict[str, Any]:
    """The state at each test length, and at the longest."""
    lengths = sorted({segment.length for segment in task.stream("test").segments})
    return {
        "state_size": model.state_size(lengths[-1]),
        # By test length (as text, for it is a key of JSON): attention's grows with it.
        "state_sizes": {str(length): model.state_size(length) for length in lengths},
    }


def described_data(task: Task) -> dict[str, Any]:
    """Sizes of the task, the exact mix of lengths, duplicates."""
    return {
        "vocab_size": task.vocab_size,
        "max_length": task.max_length,
        "segments": {
            split: [dataclasses.asdict(segment) for segment in task.stream(split).segments]
            for split in SPLITS
        },
        "duplicates": [dataclasses.asdict(row) for row in count_duplicates(task)],
    }


class Summary(BaseModel):
    """What readers rely on; a run of an earlier version may have less, and any may have more."""

    model_config = ConfigDict(strict=True, extra="allow")

    state_size: int | None = None
    state_sizes: dict[str, int] | None = None
    parameters: int | None = None
    compiled: CompiledSummary | None = None
    segments: dict[str, list[section_of(StreamSegment)]] | None = None  # type: ignore[valid-type]
    duplicates: list[section_of(Duplicates)] | None = None  # type: ignore[valid-type]


def checked_summary(data: Any) -> dict[str, Any]:
    """``data`` where it is a summary, else nothing."""
    try:
        Summary.model_validate(data)
    except ValidationError:
        return {}
    return dict(data)
