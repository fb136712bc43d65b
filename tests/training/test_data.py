"""A batch's tensors point at its labels, and training batches are a function of their number."""

from __future__ import annotations

import numpy as np
import torch
from small_training import TASK

from bestiary.tasks.protocol import IGNORE, Batch
from bestiary.training.data import TrainingData, to_tensors

CPU = torch.device("cpu")


def test_positions_targets_rows_and_gaps_are_those_of_the_labels():
    labels = np.full((3, 4), IGNORE)
    labels[0, 1], labels[0, 3], labels[2, 0] = 7, 8, 9
    gap = np.arange(12).reshape(3, 4) * 10
    batch = to_tensors(Batch(np.zeros((3, 4), dtype=np.int64), labels, {"gap": gap}), CPU)
    assert batch.positions.tolist() == [1, 3, 8]
    assert batch.targets.tolist() == [7, 8, 9]
    assert batch.rows.tolist() == [0, 0, 2]
    assert batch.gap.tolist() == [10, 30, 80]
    assert batch.examples == 2


def test_a_batch_without_labels_counts_no_examples():
    batch = to_tensors(Batch(np.zeros((2, 3), np.int64), np.full((2, 3), IGNORE)), CPU)
    assert (batch.examples, len(batch.positions), batch.gap) == (0, 0, None)


def test_an_epoch_of_batches_holds_every_training_example_once_with_two_labels_each():
    data = TrainingData(TASK.stream("train"), 16, seed=4, device=CPU)
    batches = [data.batch(1, number) for number in range(data.batches_per_epoch)]
    assert sorted(len(b.tokens) for b in batches) == [6, 6] + [16] * 8
    for segment, length in enumerate((8, 16)):
        made = TASK.stream("train").examples(segment, range(70)).tokens.tolist()
        seen = [row for b in batches if b.tokens.shape[1] == length for row in b.tokens.tolist()]
        assert sorted(seen) == sorted(made)
        assert all(b.examples == len(b.tokens) for b in batches)


def test_epochs_come_in_different_orders_and_can_be_returned_to():
    data = TrainingData(TASK.stream("train"), 16, seed=4, device=CPU)
    first = data.batch(0, 0).tokens
    assert not torch.equal(first, data.batch(1, 0).tokens)
    assert torch.equal(first, data.batch(0, 0).tokens)
