"""The size of MQAR on which the scripts of this folder train, by their arguments."""

from __future__ import annotations

import argparse

from bestiary.tasks.mqar import MQAR

BATCH = 64
"""Examples an update, by default."""


def add_sizes(parser: argparse.ArgumentParser) -> None:
    """So few tokens and positions that a training takes seconds, unless told."""
    parser.add_argument("--vocab-size", type=int, default=16)
    parser.add_argument("--length", type=int, default=16)
    parser.add_argument("--pairs", type=int, default=2)


def small_task(asked: argparse.Namespace, updates: int, validation: int, test: int) -> MQAR:
    """MQAR of the sizes that were asked for, with the examples of so many updates."""
    return MQAR(
        vocab_size=asked.vocab_size,
        segments=({"length": asked.length, "pairs": asked.pairs},),
        train_examples=BATCH * updates,
        validation_examples=validation,
        test_examples=test,
    )
