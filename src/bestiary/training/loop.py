"""The training loop."""

from __future__ import annotations

from pathlib import Path

from torch import nn

from bestiary.errors import UserError
from bestiary.tasks.protocol import Task
from bestiary.training.config import TrainingConfig
from bestiary.training.data import TrainingData
from bestiary.training.device import compiled, intra_op_threads, resolve_device
from bestiary.training.history import Outcome
from bestiary.training.interruption import deferred_signals
from bestiary.training.journal import Journal, Watch
from bestiary.training.metrics import position_losses
from bestiary.training.optimizer import adamw, set_learning_rate
from bestiary.training.precision import autocast, weight_dtype
from bestiary.training.randomness import check_seed, isolated_randomness
from bestiary.training.schedule import learning_rate

READ_EVERY = 10
"""Updates whose numbers are read from the device together."""


def train(
    model: nn.Module,
    task: Task,
    config: TrainingConfig,
    seed: int,
    directory: Path | str | None = None,
    watch: Watch | None = None,
) -> Outcome:
    """Train ``model`` in place until its epochs are over or validation ends it.

    model: ``model(tokens, positions)`` gives logits (len(positions), vocab). It is moved to the
    device and number format of ``config``. seed: of the order of the data and of what the model
    draws while it trains; its initial weights are the caller's. directory: checkpoints go to
    ``directory/checkpoint``, and one that is there is gone on from; it is left for the caller to
    ``discard_checkpoint`` once the weights are safe elsewhere.

    The same config, seed and initial weights give the same weights to the bit on a CPU, resumed
    or not. The global generators of torch, numpy and Python are left as they were.

    Raises ``UserError`` for what a person can mend: no such device, a full disk, a checkpoint of
    something else.
    """
    check_seed(seed)
    _check_vocabulary(model, task)
    device = resolve_device(config.device)
    model.to(device, weight_dtype(config.dtype))
    with (
        isolated_randomness(seed, device),
        intra_op_threads(config.threads),
        deferred_signals() as interruption,
    ):
        data = TrainingData(task.stream("train"), config.batch_size, seed, device)
        optimizer = adamw(model, config)
        journal = Journal(
            model, optimizer, task, config, seed, data.batches_per_epoch, directory, watch
        )
        place = journal.place
        forward = compiled(model, data.batch(0, 0), config.dtype) if config.compile else model
        model.train()

        while not journal.over:
            batch = data.batch(*divmod(place.step, data.batches_per_epoch))
            place.learning_rate = learning_rate(place.step, journal.steps, config)
            set_learning_rate(optimizer, place.learning_rate)

            with autocast(device, config.dtype):
                logits = forward(batch.tokens, batch.positions)
            losses = position_losses(logits, batch.targets)
            (losses.sum() / max(1, len(losses))).backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), config.clip)
            optimizer.step()
            optimizer.zero_grad()

            journal.note(losses, logits, norm, batch)
            if journal.due(config.validate_every):
                journal.validate()
            elif journal.due(READ_EVERY):
                journal.read()
            if interruption:
                journal.save()
                return journal.outcome(f"{interruption.signal_name} was received")
            if config.checkpoint_every and journal.due(config.checkpoint_every):
                journal.save()
        return journal.outcome()


def _check_vocabulary(model: nn.Module, task: Task) -> None:
    has = getattr(model, "vocab_size", task.vocab_size)
    if has < task.vocab_size:
        raise UserError(
            f"the model knows {has} tokens and the task has {task.vocab_size}; "
            "make the model with the task's vocab_size"
        )
