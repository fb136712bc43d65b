"""Every number of an evaluation is what a plain loop over examples and positions finds."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch
from small_training import TASK, small_model
from torch import nn

from bestiary.tasks.protocol import IGNORE, Batch, StreamSegment
from bestiary.training import evaluate
from bestiary.training.metrics import gap_bin, gap_bounds

MIXED = replace(
    TASK,
    segments=(
        {"length": 8, "pairs": 1, "test": 33},
        {"length": 16, "pairs": 1, "test": 20},
        {"length": 16, "pairs": 4, "test": 41},
    ),
)


def by_loops(model, task, split):
    """{(slice, length, pairs, gap_low, gap_high): (losses, hits, whole examples, chances)}."""
    found = defaultdict(lambda: ([], [], [], []))
    for number, segment in enumerate(task.stream(split).segments):
        batch = task.stream(split).examples(number, range(segment.examples))
        with torch.no_grad():
            logits = model.eval()(torch.from_numpy(batch.tokens)).numpy()
        for row in range(segment.examples):
            keys = [
                ("all", None, None, None, None),
                ("segment", segment.length, segment.pairs, None, None),
                ("length", segment.length, None, None, None),
                ("pairs", None, segment.pairs, None, None),
            ]
            hits = []
            for t in range(segment.length):
                label = batch.labels[row, t]
                if label == IGNORE:
                    continue
                scores = logits[row, t]
                loss = math.log(sum(math.exp(s) for s in scores)) - scores[label]
                hits.append(max(range(len(scores)), key=scores.__getitem__) == label)
                low = 2 ** int(math.log2(batch.info["gap"][row, t]))
                for key in [*keys, ("gap", None, None, low, 2 * low - 1)]:
                    found[key][0].append(loss)
                    found[key][1].append(hits[-1])
                    found[key][3].append(segment.chance)
            for key in keys:
                found[key][2].append(all(hits))
    return found


@pytest.mark.parametrize("batch_size", [7, 64])
def test_slices_are_those_of_a_loop_over_all_positions(batch_size):
    model = small_model().double()
    expected = by_loops(model, MIXED, "test")
    rows = evaluate(model, MIXED, "test", batch_size, "float64").slices()
    keys = ("slice", "length", "pairs", "gap_low", "gap_high")
    assert {tuple(row[k] for k in keys) for row in rows} == set(expected)
    assert len(rows) == len(expected)
    for row in rows:
        losses, hits, whole, chances = expected[tuple(row[k] for k in keys)]
        assert row["split"] == "test"
        assert row["queries"] == len(losses)
        assert row["loss"] == pytest.approx(np.mean(losses), rel=1e-10)
        assert row["accuracy"] == pytest.approx(np.mean(hits))
        assert row["chance"] == pytest.approx(np.mean(chances))
        if row["slice"] == "gap":
            assert row["all_correct"] is None and row["examples"] is None
        else:
            assert row["all_correct"] == pytest.approx(np.mean(whole))
            assert row["examples"] == len(whole)


class Fixed(nn.Module):
    """Says token 1 at every position, or whatever a table of tokens to say gives."""

    def __init__(self, say=None):
        super().__init__()
        self.anchor = nn.Parameter(torch.zeros(()))
        self.say = say

    def forward(self, tokens, positions):
        said = torch.ones_like(tokens) if self.say is None else self.say(tokens)
        return nn.functional.one_hot(said.flatten()[positions], 4).double() * 10


@dataclass(frozen=True)
class Uneven:
    """Examples with two labels, one and none; the same in every split, and no gaps."""

    vocab_size: int = 4
    max_length: int = 3

    def stream(self, split):
        return self

    @property
    def segments(self):
        return [StreamSegment(length=3, pairs=2, examples=3, chance=0.5)]

    def examples(self, segment, indices):
        labels = np.array([[1, IGNORE, 2], [IGNORE, 1, IGNORE], [IGNORE, IGNORE, IGNORE]])
        return Batch(np.zeros((3, 3), dtype=np.int64)[indices], labels[indices])


def test_examples_may_have_any_number_of_labels_and_those_without_do_not_count():
    total = evaluate(Fixed(), Uneven(), "test").total
    assert (total.queries, total.hits) == (3, 2)
    assert (total.examples, total.whole) == (2, 1)
    assert total.accuracy == pytest.approx(2 / 3)
    assert total.all_correct == 0.5


def test_a_task_without_gaps_has_no_rows_by_gap():
    slices = {row["slice"] for row in evaluate(Fixed(), Uneven(), "test").slices()}
    assert slices == {"all", "segment", "length", "pairs"}


def test_a_right_answer_everywhere_scores_one_on_every_split_and_slice():
    lookup = Fixed(lambda tokens: torch.from_numpy(np.maximum(TASK.solve(tokens.numpy()), 0)))
    lookup.forward_vocab = TASK.vocab_size

    def forward(tokens, positions):
        said = lookup.say(tokens).flatten()[positions]
        return nn.functional.one_hot(said, TASK.vocab_size).double() * 50

    lookup.forward = forward
    for split in ("train", "validation", "test"):
        for row in evaluate(lookup, TASK, split).slices():
            assert row["accuracy"] == 1.0
            assert row["all_correct"] in (1.0, None)
            assert row["loss"] == pytest.approx(15 * math.exp(-50), rel=1e-6)


def test_a_short_last_batch_adds_no_examples_that_do_not_exist():
    # Ten examples in batches of four: the published loader made 12 records of them (D15).
    task = replace(TASK, segments=({"length": 8, "pairs": 2, "test": 10},))
    total = evaluate(small_model(), task, "test", batch_size=4).total
    assert (total.examples, total.queries) == (10, 20)


def test_evaluation_leaves_the_mode_of_the_model_as_it_was():
    model = small_model()
    for training in (True, False):
        model.train(training)
        evaluate(model, TASK, "validation")
        assert model.training is training


def test_gap_bins_are_powers_of_two_and_hold_exactly_the_gaps_they_say():
    gaps = np.arange(0, 5000)
    for gap, number in zip(gaps, gap_bin(gaps), strict=True):
        low, high = gap_bounds(number)
        assert low <= gap <= high
    assert [gap_bounds(b) for b in range(5)] == [(0, 0), (1, 1), (2, 3), (4, 7), (8, 15)]
