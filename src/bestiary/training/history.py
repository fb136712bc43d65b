"""What a training leaves behind and tells while it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypedDict

Status = Literal["finished", "diverged", "interrupted"]


class HistoryRow(TypedDict):
    """One row of ``history.parquet``, written at each validation for each of two splits.

    ``validation`` rows measure the whole validation stream. ``train`` rows are over the batches
    since the validation before, each scored as it was trained on, before its update.
    learning_rate is that of the update before. seconds is training time, resumed parts included.
    """

    step: int
    epoch: int
    seconds: float
    split: str
    learning_rate: float
    loss: float
    accuracy: float
    all_correct: float


@dataclass(frozen=True)
class Progress:
    """What ``watch`` gets every few steps.

    loss and accuracy are of the training batches since the last event (nan when there was none);
    examples_per_second is over this process's time. rows are the history rows new with it.
    """

    step: int
    steps: int
    loss: float
    accuracy: float
    examples_per_second: float
    rows: tuple[HistoryRow, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """How a training ended.

    step: updates done, of ``steps``. reason: one sentence for a person.
    """

    status: Status
    step: int
    steps: int
    history: list[HistoryRow]
    seconds: float
    reason: str
