"""Measure a model on one split of a task."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import torch
from torch import nn

from bestiary.tasks.protocol import Split, Stream, Task
from bestiary.training.data import to_tensors
from bestiary.training.metrics import Evaluation, SegmentTally, position_hits, position_losses
from bestiary.training.precision import autocast


def evaluate(
    model: nn.Module,
    task: Task,
    split: Split,
    batch_size: int = 64,
    dtype: str = "float32",
    told: Callable[[Evaluation], None] | None = None,
) -> Evaluation:
    """Loss and accuracies over every example of the split.

    The model stays on its device and goes back to the mode (train or eval) it was in.
    ``dtype`` is ``TrainingConfig.dtype``. told: gets the metrics so far, after every batch.
    """
    return evaluate_stream(model, task.stream(split), split, batch_size, dtype, told)


@torch.inference_mode()
def evaluate_stream(
    model: nn.Module,
    stream: Stream,
    split: Split,
    batch_size: int,
    dtype: str,
    told: Callable[[Evaluation], None] | None = None,
) -> Evaluation:
    """``evaluate`` for a caller that measures one split often."""
    # A model of hand-set weights may have none that torch knows of.
    weights = itertools.chain(model.parameters(), model.buffers())
    device = next((weight.device for weight in weights), torch.device("cpu"))
    was_training = model.training
    model.eval()
    tallies = [SegmentTally(segment) for segment in stream.segments]
    for number, tally in enumerate(tallies):
        size = tally.segment.examples
        for start in range(0, size, batch_size):
            indices = range(start, min(start + batch_size, size))
            batch = to_tensors(stream.examples(number, indices), device)
            with autocast(device, dtype):
                logits = model(batch.tokens, batch.positions)
            losses = position_losses(logits, batch.targets)
            tally.add(losses, position_hits(logits, batch.targets), batch)
            if told is not None:
                told(Evaluation(split, tallies))
    model.train(was_training)
    return Evaluation(split, tallies)
