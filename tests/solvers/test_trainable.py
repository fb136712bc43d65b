"""Compiled solvers as models to train: the same logits at first, gradients, noise, distances."""

from __future__ import annotations

import math

import pytest
import torch
from recall_by_hand import examples, small_task

from bestiary.errors import UserError
from bestiary.solvers.all_pairs import AllPairs
from bestiary.solvers.trainable import add_noise, distances, draw_anew, trainable
from bestiary.tasks.mqar import MQAR
from bestiary.training import TrainingConfig, evaluate, train

TASK = MQAR(
    vocab_size=8,
    segments=({"length": 8, "pairs": 1},),
    train_examples=640,
    validation_examples=50,
    test_examples=50,
)
both_forms = pytest.mark.parametrize("form", ["dense", "structured"])


@pytest.fixture(scope="module")
def solver():
    return AllPairs(TASK).build()


@both_forms
def test_it_starts_with_the_logits_of_the_solver(solver, form):
    model = trainable(solver, form)
    tokens = torch.randint(8, (5, 8), generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(model(tokens), solver(tokens), rtol=0, atol=1e-3)
    positions = torch.tensor([39, 3, 17])
    torch.testing.assert_close(
        model(tokens, positions), solver(tokens, positions), rtol=0, atol=1e-3
    )


@both_forms
def test_every_weight_gets_a_gradient_and_the_solver_stays_as_it_is(solver, form):
    model = trainable(solver, form)
    add_noise(model, 0.1, seed=0)
    for batch in examples(TASK):
        model(torch.from_numpy(batch.tokens)).square().sum().backward()
    assert all(p.grad is not None for p in model.parameters() if p.numel())
    assert evaluate(solver, TASK, "test").total.accuracy == 1.0
    assert not any(p.requires_grad for p in solver.parameters())


def test_dense_layers_are_whole_arrays_and_structured_ones_the_entries_that_are_not_zero(solver):
    layers, rows, width = solver.size.layers, 8, solver.size.width
    ends = 2 * 8 * 3
    dense = sum(p.numel() for p in trainable(solver, "dense").parameters())
    assert dense == layers * (width**2 + 3 * rows * width) + ends
    structured = trainable(solver, "structured")
    assert sum(p.numel() for p in structured.parameters()) < dense / 10
    assert all((p != 0).all() for p in structured.parameters())


def test_noise_is_in_proportion_to_the_typical_weight_and_a_function_of_the_seed(solver):
    model = trainable(solver)
    start = trainable(solver)
    add_noise(model, 0.1, seed=3)
    for mine, theirs in zip(model.parameters(), start.parameters(), strict=True):
        mine, theirs = mine.detach(), theirs.detach()
        used = theirs[theirs != 0]
        typical = float(used.square().mean().sqrt()) if len(used) else 1.0
        assert float((mine - theirs).std()) == pytest.approx(0.1 * typical, rel=0.3)
    again = trainable(solver)
    add_noise(again, 0.1, seed=3)
    assert distances(again, model)["all"] == 0
    other = trainable(solver)
    add_noise(other, 0.1, seed=4)
    assert distances(other, model)["all"] > 0


def test_distances_are_relative_to_the_norm_of_the_other_part_by_part(solver):
    start, model = trainable(solver), trainable(solver)
    assert set(distances(model, start)) == {
        "embedding",
        *(f"layer {n}" for n in range(1, solver.size.layers + 1)),
        "head",
        "all",
    }
    with torch.no_grad():
        model.embedding.mul_(1.25)
    moved = distances(model, start)
    assert moved["embedding"] == pytest.approx(0.25)
    assert moved["head"] == moved["layer 1"] == 0
    whole = math.sqrt(sum(float(p.square().sum()) for p in start.parameters()))
    own = float(start.embedding.norm())
    assert moved["all"] == pytest.approx(0.25 * own / whole)


@both_forms
def test_a_random_start_has_the_scale_of_the_solution_and_nothing_else_of_it(solver, form):
    start, model = trainable(solver, form), trainable(solver, form)
    draw_anew(model, seed=0)
    # Two independent arrays of one norm are √2 of it apart.
    assert distances(model, start)["all"] == pytest.approx(math.sqrt(2), abs=0.2)
    assert evaluate(model, TASK, "test").total.accuracy < 0.6


def test_training_keeps_what_was_set_and_repairs_a_little_noise(solver):
    config = TrainingConfig(epochs=4, stop_at=None, weight_decay=0.0)
    kept, start = trainable(solver), trainable(solver)
    train(kept, TASK, config, seed=0)
    assert distances(kept, start)["all"] < 1e-3
    noisy = trainable(solver)
    add_noise(noisy, 0.05, seed=0)
    before = evaluate(noisy, TASK, "test").total
    train(noisy, TASK, config, seed=0)
    after = evaluate(noisy, TASK, "test").total
    assert after.accuracy >= before.accuracy
    assert after.mean_loss < before.mean_loss / 2


def test_what_it_cannot_take_is_said_in_a_sentence(solver):
    with pytest.raises(UserError, match=r"unknown form 'sparse'.*\(accepted: dense, structured\)"):
        trainable(solver, "sparse")
    for sigma in (-0.1, math.nan, math.inf):
        with pytest.raises(UserError, match=r"sigma is .*; it must be 0 or more"):
            add_noise(trainable(solver), sigma, seed=0)


def test_a_solver_for_longer_sequences_takes_shorter_ones():
    model = trainable(AllPairs(small_task(8, 8)).build(), "structured")
    assert model(torch.zeros(2, 5, dtype=torch.int64)).shape == (2, 5, 8)
