"""Where a training is: all that is not a tensor, kept in its checkpoint as JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from typing import Any

from torch import nn

from bestiary.tasks.protocol import Task
from bestiary.training.config import TrainingConfig
from bestiary.training.history import HistoryRow
from bestiary.training.metrics import Evaluation, Tally


@dataclass
class Place:
    """Updates done, what was measured on the way and why the training ended, if it has.

    window: sums over the training batches since the last validation. best_loss: the lowest
    validation loss. worse: validations since then. ended: why there are no more updates to do.
    diverged_at: the update whose loss or gradient was not finite.
    """

    step: int = 0
    seconds: float = 0.0
    learning_rate: float = 0.0
    window: Tally = field(default_factory=Tally)
    history: list[HistoryRow] = field(default_factory=list)
    best_loss: float | None = None
    worse: int = 0
    ended: str = ""
    diverged_at: int | None = None

    def record(self, epoch: int, seconds: float, evaluation: Evaluation) -> None:
        """Add the history rows of a validation and begin a new window."""
        for split, tally in (("train", self.window), ("validation", evaluation.total)):
            self.history.append(
                HistoryRow(
                    step=self.step,
                    epoch=epoch,
                    seconds=seconds,
                    split=split,
                    learning_rate=self.learning_rate,
                    loss=tally.mean_loss,
                    accuracy=tally.accuracy,
                    all_correct=tally.all_correct,
                )
            )
        self.window = Tally()

    def judge(self, evaluation: Evaluation, config: TrainingConfig) -> None:
        """End the training where a validation meets ``stop_at`` or exhausts ``patience``."""
        total = evaluation.total
        if self.best_loss is None or total.mean_loss < self.best_loss:
            self.best_loss, self.worse = total.mean_loss, 0
        else:
            self.worse += 1
        if config.stop_at is not None and total.accuracy >= config.stop_at:
            self.ended = f"validation accuracy reached {total.accuracy:.4f}"
        elif config.patience is not None and self.worse >= config.patience:
            self.ended = f"validation loss did not improve in {self.worse} validations"

    def to_json(self) -> dict[str, Any]:
        """Values that JSON holds without loss."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Place:
        """What ``to_json`` was made from."""
        return cls(**{**values, "window": Tally(**values["window"])})


def fingerprint(model: nn.Module, task: Task, config: TrainingConfig, seed: int) -> str:
    """A hash of everything that decides the weights, to know whose checkpoint one is."""
    decides = asdict(config)
    for name in ("checkpoint_every", "allocator"):
        del decides[name]
    shapes = {name: list(value.shape) for name, value in model.state_dict().items()}
    architecture = _identity(getattr(model, "config", None))
    described = json.dumps([decides, _identity(task), architecture, shapes, seed], sort_keys=True)
    return hashlib.sha256(described.encode()).hexdigest()


def _identity(config: object) -> str:
    """The fields that make a config equal to another; a cache's size is not among them."""
    if not is_dataclass(config):
        return repr(config)
    compared = {f.name: getattr(config, f.name) for f in fields(config) if f.compare}
    return f"{type(config).__qualname__} {compared!r}"
