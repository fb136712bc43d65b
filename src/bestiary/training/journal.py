"""What a training writes down while it goes: its numbers, validations and checkpoints."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn

from bestiary.errors import UserError
from bestiary.tasks.protocol import Task
from bestiary.training.checkpoint import (
    Checkpoint,
    load_checkpoint,
    restore_training_tensors,
    save_checkpoint,
    training_tensors,
)
from bestiary.training.config import TrainingConfig
from bestiary.training.data import TensorBatch
from bestiary.training.evaluate import evaluate_stream
from bestiary.training.history import HistoryRow, Outcome, Progress, Status
from bestiary.training.metrics import Tally
from bestiary.training.place import Place, fingerprint
from bestiary.training.window import PendingSteps

CHECKPOINT_FOLDER = "checkpoint"

Watch = Callable[[Progress], None]


class Journal:
    """The place of a training, and everything that is done with it between updates.

    steps: updates in the whole training; batches_per_epoch: updates in one epoch. directory and
    watch are those of ``train``.
    """

    def __init__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        task: Task,
        config: TrainingConfig,
        seed: int,
        batches_per_epoch: int,
        directory: Path | str | None,
        watch: Watch | None,
    ) -> None:
        self.place = Place()
        self.steps = config.epochs * batches_per_epoch
        self._model, self._optimizer, self._config = model, optimizer, config
        self._batches_per_epoch = batches_per_epoch
        self._validation = task.stream("validation")
        self._folder = Path(directory) / CHECKPOINT_FOLDER if directory is not None else None
        self._fingerprint = fingerprint(model, task, config, seed)
        self._watch = watch
        self._pending = PendingSteps()
        self._device = next(model.parameters()).device
        self._resume()
        self._started = self._told = time.perf_counter()
        self._seconds_before = self.place.seconds
        self._examples = 0

    @property
    def over(self) -> bool:
        """Whether there is no further update to do."""
        return self.place.step >= self.steps or bool(self.place.ended)

    @property
    def epoch(self) -> int:
        """The epoch the last update was in, from 0."""
        return max(0, self.place.step - 1) // self._batches_per_epoch

    def due(self, every: int) -> bool:
        """Whether something done at every ``every``-th update, and at the end, is to be done."""
        return self.over or self.place.step % every == 0

    def note(self, losses: Tensor, logits: Tensor, norm: Tensor, batch: TensorBatch) -> None:
        """Count an update that was just made; losses are (labelled,), logits of those."""
        self.place.step += 1
        self._examples += len(batch.tokens)
        self._pending.add(losses, logits, norm, batch)

    def read(self) -> None:
        """Take the noted numbers from the device, look for divergence and tell ``watch``."""
        self._tell(self._take(), ())

    def validate(self) -> None:
        """Measure the validation stream, write history rows and decide whether to go on."""
        tally = self._take()
        rows: tuple[HistoryRow, ...] = ()
        if self.place.diverged_at is None:
            config = self._config
            evaluation = evaluate_stream(
                self._model, self._validation, "validation", config.batch_size, config.dtype
            )
            self.place.record(self.epoch, self._seconds(), evaluation)
            self.place.judge(evaluation, config)
            rows = tuple(self.place.history[-2:])
        self._tell(tally, rows)

    def save(self) -> None:
        """Write a checkpoint where there is a directory; nothing of a diverged training."""
        self._take()
        if self._folder is None or self.place.diverged_at is not None:
            return
        self.place.seconds = self._seconds()
        values = {"fingerprint": self._fingerprint, "place": self.place.to_json()}
        tensors = training_tensors(self._model, self._optimizer, self._device)
        save_checkpoint(self._folder, Checkpoint(tensors, values), self.place.step)

    def outcome(self, interrupted_by: str | None = None) -> Outcome:
        """How the training ended."""
        status: Status = "finished"
        reason = self.place.ended or "all epochs are done"
        if self.place.diverged_at is not None:
            status = "diverged"
        elif interrupted_by is not None and not self.over:
            status, reason = "interrupted", f"{interrupted_by} at step {self.place.step}"
        history = self.place.history
        return Outcome(status, self.place.step, self.steps, history, self._seconds(), reason)

    def _resume(self) -> None:
        checkpoint = load_checkpoint(self._folder) if self._folder is not None else None
        if checkpoint is None:
            return
        if checkpoint.values["fingerprint"] != self._fingerprint:
            raise UserError(
                f"checkpoint {str(self._folder)!r} is of another config or seed; remove it or "
                "use another directory"
            )
        self.place = Place.from_json(checkpoint.values["place"])
        restore_training_tensors(checkpoint.tensors, self._model, self._optimizer, self._device)

    def _take(self) -> Tally:
        """Add the noted numbers to the window, and end the training at one that is not finite."""
        first = self.place.step - len(self._pending)
        tally, bad = self._pending.read()
        self.place.window += tally
        if bad is not None:
            self.place.step = self.place.diverged_at = first + bad + 1
            self.place.ended = f"loss or gradient was not finite at step {self.place.step}"
        return tally

    def _seconds(self) -> float:
        return self._seconds_before + time.perf_counter() - self._started

    def _tell(self, tally: Tally, rows: tuple[HistoryRow, ...]) -> None:
        if self._watch is None:
            return
        now = time.perf_counter()
        speed = self._examples / max(now - self._told, 1e-9)
        self._told, self._examples = now, 0
        place = self.place
        self._watch(Progress(place.step, self.steps, tally.mean_loss, tally.accuracy, speed, rows))
