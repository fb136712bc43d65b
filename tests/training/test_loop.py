"""Training learns, ends for the reasons it says, and is a function of its config and seed."""

from __future__ import annotations

import math
import os
import random
import signal
from dataclasses import replace

import numpy as np
import pytest
import torch
from small_training import CONFIG, TASK, Noise, small_model, weights
from torch import nn

from bestiary.errors import UserError
from bestiary.models import ModelConfig, build_model
from bestiary.tasks.mqar import MQAR
from bestiary.training import TrainingConfig, evaluate, train


def splits(outcome, split):
    return [row for row in outcome.history if row["split"] == split]


@pytest.mark.slow
def test_a_short_convolution_with_attention_learns_to_recall():
    task = MQAR(
        vocab_size=16,
        segments=({"length": 16, "pairs": 2},),
        train_examples=4000,
        validation_examples=200,
        test_examples=400,
    )
    model = build_model(ModelConfig(d_model=32, mixers=("short_conv", "attention")), 16, 16, 0)
    config = TrainingConfig(
        epochs=6, learning_rate=1e-2, validate_every=25, stop_at=0.97, device="cpu"
    )
    outcome = train(model, task, config, seed=0)
    assert outcome.status == "finished"
    assert outcome.reason.startswith("validation accuracy reached 0.9")
    assert evaluate(model, task, "test").total.accuracy > 0.9


def test_the_same_seed_gives_the_same_weights_and_history_to_the_bit():
    def trained(seed):
        model = small_model(noise=True)
        outcome = train(model, TASK, CONFIG, seed)
        return weights(model), [{**row, "seconds": 0} for row in outcome.history]

    assert trained(1) == trained(1)
    assert trained(1)[0] != trained(2)[0]


def test_global_generators_and_threads_are_left_as_they_were():
    def states():
        return (
            torch.get_rng_state().tolist(),
            repr(np.random.get_state()),
            random.getstate(),
            torch.get_num_threads(),
            signal.getsignal(signal.SIGTERM),
            signal.getsignal(signal.SIGINT),
        )

    before = states()
    train(small_model(noise=True), TASK, replace(CONFIG, epochs=1, threads=2), 0)
    assert states() == before


def test_every_epoch_trains_on_every_example_once():
    seen = []
    model = small_model()
    model.register_forward_pre_hook(
        lambda m, inputs: seen.extend(map(tuple, inputs[0].tolist())) if m.training else None
    )
    outcome = train(model, TASK, CONFIG, 0)
    assert outcome.step == outcome.steps == 30
    stream = TASK.stream("train")
    once = [tuple(row) for s in (0, 1) for row in stream.examples(s, range(70)).tokens.tolist()]
    assert len(seen) == 3 * 140
    assert sorted(seen[:140]) == sorted(seen[140:280]) == sorted(once)
    assert seen[:140] != seen[140:280]


def test_history_has_a_train_and_a_validation_row_at_each_validation_and_at_the_end():
    outcome = train(small_model(), TASK, CONFIG, 0)
    steps = [row["step"] for row in splits(outcome, "validation")]
    assert steps == [row["step"] for row in splits(outcome, "train")] == [7, 14, 21, 28, 30]
    assert [row["epoch"] for row in splits(outcome, "train")] == [0, 1, 2, 2, 2]


def test_the_last_validation_row_is_what_evaluate_finds_afterwards():
    model = small_model()
    row = splits(train(model, TASK, CONFIG, 0), "validation")[-1]
    total = evaluate(model, TASK, "validation", CONFIG.batch_size).total
    assert (row["loss"], row["accuracy"]) == (total.mean_loss, total.accuracy)
    assert row["all_correct"] == total.all_correct


def test_training_rows_use_the_mask_and_metric_of_evaluation():
    # With a rate too small to move the weights, an epoch's training row is an evaluation of the
    # training split (B06: the mask and the metric were not the same there).
    model = small_model().double()
    config = replace(CONFIG, epochs=1, validate_every=10, learning_rate=1e-300, dtype="float64")
    row = splits(train(model, TASK, config, 0), "train")[-1]
    total = evaluate(model, TASK, "train", 16, "float64").total
    assert row["loss"] == pytest.approx(total.mean_loss, rel=1e-12)
    assert (row["accuracy"], row["all_correct"]) == (total.accuracy, total.all_correct)


def test_an_update_is_clipped_adamw_on_the_mean_loss_of_the_labelled_positions():
    config = replace(CONFIG, epochs=1, batch_size=200, clip=0.01, dtype="float64", warmup=0.0)
    task = replace(TASK, segments=({"length": 8, "pairs": 2},))
    ours, plain = small_model().double(), small_model().double()
    train(ours, task, config, 0)

    batch = task.stream("train").examples(0, range(70))
    logits = plain(torch.from_numpy(batch.tokens)).flatten(0, 1)
    nn.functional.cross_entropy(logits, torch.from_numpy(batch.labels).flatten()).backward()
    norm = math.sqrt(sum(float((p.grad**2).sum()) for p in plain.parameters()))
    assert norm > 0.01
    linear = {f"{n}.weight" for n, m in plain.named_modules() if isinstance(m, nn.Linear)}
    for name, p in plain.named_parameters():
        gradient = p.grad * 0.01 / (norm + 1e-6)
        decay = config.weight_decay if name in linear else 0.0
        with torch.no_grad():
            p *= 1 - config.learning_rate * decay
            p -= config.learning_rate * gradient / (gradient.abs() + 1e-8)
    for (name, a), b in zip(ours.state_dict().items(), plain.state_dict().values(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-8, atol=1e-10, msg=name)


def test_training_ends_when_validation_is_solved_and_only_validation_is_looked_at():
    class Watched(MQAR):
        def stream(self, split):
            assert split != "test"
            return super().stream(split)

    task = Watched(**{k: v for k, v in vars(TASK).items() if k != "blocks"})
    outcome = train(small_model(), task, replace(CONFIG, stop_at=1e-9), 0)
    assert (outcome.status, outcome.step) == ("finished", 7)
    assert outcome.reason.startswith("validation accuracy reached")


def test_patience_counts_validations_without_a_better_loss():
    # The rate is too small to better anything, so the first validation stays the best.
    config = replace(CONFIG, learning_rate=1e-30, patience=2)
    outcome = train(small_model(), TASK, config, 0)
    assert (outcome.status, outcome.step) == ("finished", 21)
    assert "did not improve in 2 validations" in outcome.reason


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_loss_that_is_not_finite_ends_as_diverged_at_that_step(value, tmp_path):
    class Breaks(Noise):
        def forward(self, x):
            y = super().forward(x)
            return y * value if self.training and self.calls == 13 else y

    model = small_model(noise=True)
    model.blocks[1].mixer = Breaks(8)
    outcome = train(model, TASK, CONFIG, 0, tmp_path)
    assert (outcome.status, outcome.step) == ("diverged", 13)
    assert outcome.reason == "loss or gradient was not finite at step 13"
    assert [row["step"] for row in outcome.history] == [7, 7]


def test_a_gradient_that_is_not_finite_ends_as_diverged():
    class Sharp(Noise):
        def forward(self, x):
            return x + torch.sqrt(torch.zeros_like(x) * self.weight)

    model = small_model(noise=True)
    model.blocks[1].mixer = Sharp(8)
    outcome = train(model, TASK, CONFIG, 0)
    assert (outcome.status, outcome.step) == ("diverged", 1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_step_and_resuming_gives_the_same_weights(number, tmp_path):
    straight = small_model(noise=True)
    expected = train(straight, TASK, CONFIG, 3)

    def interrupt(progress):
        if progress.step == 10:
            os.kill(os.getpid(), number)

    model = small_model(noise=True)
    outcome = train(model, TASK, CONFIG, 3, tmp_path, interrupt)
    assert (outcome.status, outcome.step) == ("interrupted", 10)
    assert outcome.reason == f"{number.name} was received at step 10"

    resumed = small_model(seed=99, noise=True)
    outcome = train(resumed, TASK, CONFIG, 3, tmp_path)
    assert (outcome.status, outcome.step) == ("finished", 30)
    assert weights(resumed) == weights(straight)
    without_time = [[{**row, "seconds": 0} for row in o.history] for o in (outcome, expected)]
    assert without_time[0] == without_time[1]


def test_a_finished_training_is_not_trained_again(tmp_path):
    first, second = small_model(), small_model(seed=5)
    done = train(first, TASK, CONFIG, 0, tmp_path)
    again = train(second, TASK, CONFIG, 0, tmp_path)
    assert weights(first) == weights(second)
    assert again.history == done.history


@pytest.mark.parametrize(
    ("change", "seed"), [({"learning_rate": 2e-2}, 0), ({}, 1), ({"batch_size": 8}, 0)]
)
def test_a_checkpoint_of_another_config_or_seed_is_refused(change, seed, tmp_path):
    train(small_model(), TASK, CONFIG, 0, tmp_path)
    with pytest.raises(UserError, match="is of another config or seed"):
        train(small_model(), TASK, replace(CONFIG, **change), seed, tmp_path)


def test_a_checkpoint_of_other_mixers_of_the_same_shape_is_refused(tmp_path):
    def model(window):
        mixers = ({"name": "sliding_window", "window": window},)
        return build_model(ModelConfig(d_model=8, mixers=mixers), 16, 16, 0)

    train(model(2), TASK, CONFIG, 0, tmp_path)
    with pytest.raises(UserError, match="is of another config or seed"):
        train(model(3), TASK, CONFIG, 0, tmp_path)


def test_the_size_of_a_cache_does_not_make_a_task_another(tmp_path):
    train(small_model(), TASK, CONFIG, 0, tmp_path)
    again = train(small_model(), replace(TASK, cache_bytes=1), CONFIG, 0, tmp_path)
    assert again.status == "finished"


def test_how_often_checkpoints_are_written_does_not_change_the_weights(tmp_path):
    one, other = small_model(noise=True), small_model(noise=True)
    train(one, TASK, CONFIG, 0)
    train(other, TASK, replace(CONFIG, checkpoint_every=1), 0, tmp_path)
    assert weights(one) == weights(other)


def test_watchers_are_told_of_progress_and_of_each_new_row():
    events = []
    outcome = train(small_model(), TASK, CONFIG, 0, watch=events.append)
    assert [e.step for e in events] == [7, 10, 14, 20, 21, 28, 30]
    assert [row for e in events for row in e.rows] == outcome.history
    assert all(e.steps == 30 and e.examples_per_second > 0 for e in events)
    assert all(math.isfinite(e.loss) and 0 <= e.accuracy <= 1 for e in events)


@pytest.mark.parametrize("dtype", ["bfloat16", "float64"])
def test_other_number_formats_train(dtype):
    model = small_model()
    outcome = train(model, TASK, replace(CONFIG, dtype=dtype), 0)
    assert outcome.status == "finished"
    kept = torch.float64 if dtype == "float64" else torch.float32
    assert {p.dtype for p in model.parameters()} == {kept}
    single = train(small_model(), TASK, CONFIG, 0)
    losses = [o.history[-1]["loss"] for o in (outcome, single)]
    assert losses[0] == pytest.approx(losses[1], rel=0.1)


def test_a_model_with_too_small_a_vocabulary_is_refused():
    model = build_model(ModelConfig(d_model=8), 10, 16, 0)
    with pytest.raises(UserError, match="the model knows 10 tokens and the task has 16"):
        train(model, TASK, CONFIG, 0)


@pytest.mark.parametrize("device", ["cuda:99", "tpu", "no such"])
def test_a_device_that_is_not_there_is_refused(device):
    with pytest.raises(UserError, match=f"there is no device '{device}'"):
        train(small_model(), TASK, replace(CONFIG, device=device), 0)


@pytest.mark.parametrize("seed", [-1, 1.5, True, 2**63])
def test_a_seed_that_is_none_is_refused(seed):
    with pytest.raises(UserError, match="seed is"):
        train(small_model(), TASK, CONFIG, seed)


def test_a_failing_compiler_is_one_sentence(monkeypatch):
    def broken(model):
        def call(*inputs):
            raise RuntimeError("no C++ compiler\nlong story")

        return call

    monkeypatch.setattr(torch, "compile", broken)
    with pytest.raises(UserError, match=r"^torch.compile failed \(no C\+\+ compiler\); set comp"):
        train(small_model(), TASK, replace(CONFIG, compile=True), 0)
