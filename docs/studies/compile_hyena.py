"""Train a small Hyena language model on MQAR, compile it whole, and measure both.

``python docs/studies/compile_hyena.py`` takes a few minutes on one core. Training ends when
validation accuracy is 0.97. It prints test accuracy before and after, the sizes of the stacks and
the largest difference of a logit.
"""

from __future__ import annotations

import argparse
import copy
import time

import torch

from bestiary.compile import language_model
from bestiary.models import LanguageModel, ModelConfig, build_model
from bestiary.tasks.mqar import MQAR
from bestiary.training import Progress, TrainingConfig, evaluate, train


def main() -> None:
    """Train, compile, measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--length", type=int, default=16)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--vocab-size", type=int, default=32)
    parser.add_argument("--d-model", type=int, default=64)
    parser.add_argument("--order", type=int, default=2)
    parser.add_argument("--examples", type=int, default=40_000)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--learning-rate", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()

    torch.set_num_threads(1)
    task = MQAR(
        vocab_size=asked.vocab_size,
        segments=({"length": asked.length, "pairs": asked.pairs},),
        train_examples=asked.examples,
        validation_examples=500,
        test_examples=1000,
    )
    mixer = {"name": "hyena", "order": asked.order}
    config = ModelConfig(d_model=asked.d_model, mixers=(mixer,), positions="none")
    model = build_model(config, task.vocab_size, task.max_length, asked.seed)
    training = TrainingConfig(
        epochs=asked.epochs,
        learning_rate=asked.learning_rate,
        validate_every=50,
        stop_at=0.97,
    )
    outcome = train(model, task, training, asked.seed, watch=told)
    print(f"trained: {outcome.status}, {outcome.step} updates, {outcome.seconds:.0f} s")

    started = time.perf_counter()
    compiled = language_model(model)
    print(f"compiled in {time.perf_counter() - started:.0f} s")
    print(compiled)
    print("on the test examples:")
    scored("Hyena, float32, as trained", model, task)
    scored("Hyena, float64", copy.deepcopy(model).double(), task)
    scored("BaseConv, float64", compiled.model, task)
    scored("BaseConv, float32", copy.deepcopy(compiled.model).float(), task)


def told(progress: Progress) -> None:
    """A line every hundred updates."""
    if progress.step % 100 == 0:
        print(f"update {progress.step} of {progress.steps}: {progress.accuracy:.3f} right")


def scored(name: str, model: LanguageModel, task: MQAR) -> None:
    """A line with what ``model`` scores."""
    total = evaluate(model, task, "test").total
    print(f"{name}: {total.accuracy:.4f} right, {total.all_correct:.4f} all-correct")


if __name__ == "__main__":
    main()
