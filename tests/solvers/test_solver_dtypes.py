"""Every solver in float64, float32 and bfloat16: answers are those of plain Python."""

from __future__ import annotations

import pytest
import torch
from recall_by_hand import TASKS, answer, small_task

from bestiary.solvers.registry import SolverSpec, build_solver
from bestiary.tasks.selective_copy import SelectiveCopy
from bestiary.training.evaluate import evaluate

DTYPES = [torch.float64, torch.float32, torch.bfloat16]
SOLVERS = ["all-pairs", "sort", "attention", "autocorrelation", "lookup"]
every_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: str(dtype)[6:])


def build(name, task, dtype, **options):
    return build_solver(SolverSpec(name, options), task).build().to(dtype)


def wrong(model, tokens, repeat):
    """Rows of (batch, length) tokens that came before and are answered otherwise."""
    with torch.no_grad():
        said = model(tokens).argmax(-1).tolist()
    return [
        (row, i)
        for row, (one, ours) in enumerate(zip(tokens.tolist(), said, strict=True))
        for i, right in enumerate(answer(one, repeat))
        if right is not None and ours[i] != right
    ]


@every_dtype
@pytest.mark.parametrize("name", SOLVERS)
def test_keys_that_come_once_are_answered_for_certain(name, dtype):
    task = TASKS[0] if name == "sort" else TASKS[1]
    measured = evaluate(build(name, task, dtype), task, "test").total
    assert measured.accuracy == 1.0
    assert measured.mean_loss < 1e-6


@pytest.mark.parametrize("name", SOLVERS)
def test_a_training_in_bfloat16_which_keeps_weights_in_float32_scores_the_same(name):
    task = TASKS[0] if name == "sort" else TASKS[1]
    model = build(name, task, torch.float32)
    assert evaluate(model, task, "test", dtype="bfloat16").total.accuracy == 1.0


@every_dtype
@pytest.mark.parametrize(
    ("name", "repeat", "length"),
    [
        ("all-pairs", "first", 24),
        ("all-pairs", "latest", 24),
        ("sort", "latest", 12),
        ("attention", "first", 700),
        ("attention", "latest", 700),
        ("autocorrelation", "first", 700),
        ("autocorrelation", "latest", 700),
    ],
)
def test_neighbours_that_repeat_a_token_are_told_apart(name, repeat, length, dtype):
    options = {} if name == "sort" else {"repeat": repeat}
    model = build(name, small_task(16, length), dtype, **options)
    tokens = torch.randint(4, (2, length), generator=torch.Generator().manual_seed(0))
    assert wrong(model, tokens, repeat) == []


@every_dtype
def test_data_tokens_are_copied_for_certain(dtype):
    # Rows are counted in binary, each bit a number of its own, so that none has many digits.
    segment = {"length": 16, "items": 4}
    task = SelectiveCopy(vocab_size=16, segments=(segment,), test_examples=30)
    measured = evaluate(build("selective-copy", task, dtype), task, "test").total
    assert measured.accuracy == 1.0
    assert measured.mean_loss < 1e-6


def test_more_than_256_votes_are_counted_in_bfloat16():
    # What followed token 1 before was 300 times token 2 and 260 times token 1.
    tokens = torch.tensor([[1, 2] * 300 + [1] * 261])
    model = build("autocorrelation", small_task(8, 1024), torch.bfloat16)
    with torch.no_grad():
        logits = model(tokens, torch.tensor([tokens.shape[1] - 1]))
    assert logits.argmax(-1).tolist() == [2]
