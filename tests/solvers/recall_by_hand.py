"""Recall in plain Python, one token at a time, and scores of a solver's model on a task."""

from __future__ import annotations

import numpy as np
import torch

from bestiary.tasks.mqar import MQAR
from bestiary.tasks.protocol import IGNORE
from bestiary.tasks.segments import Segment

TASKS = [
    MQAR(vocab_size=4, segments=(Segment(8, 1),), test_examples=40),
    MQAR(vocab_size=32, segments=(Segment(64, 4),), test_examples=60),
    MQAR(
        vocab_size=40,
        segments=(
            Segment(16, 2),
            Segment(48, 12),
        ),
        filler="none",
        test_examples=40,
    ),
    MQAR(vocab_size=1000, segments=(Segment(120, 30),), test_examples=30),
    MQAR(vocab_size=8192, segments=(Segment(256, 64),), power_a=1, test_examples=20),
]
WITH_REPEATS = MQAR(vocab_size=32, segments=(Segment(64, 4),), filler="any", test_examples=100)
LARGEST = MQAR(vocab_size=2**16, segments=(Segment(1024, 256),), test_examples=4)


def answer(tokens, repeat):
    """For each token what followed the first or latest earlier place of it; None without any."""
    answers = []
    for i, token in enumerate(tokens):
        places = [j for j in range(i) if tokens[j] == token]
        place = places[0 if repeat == "first" else -1] if places else None
        answers.append(None if place is None else tokens[place + 1])
    return answers


def examples(task):
    """Tokens and labels of all test examples, segment by segment."""
    stream = task.stream("test")
    for number, segment in enumerate(stream.segments):
        yield stream.examples(number, range(segment.examples))


def accuracy(model, task):
    """Share of queries whose largest logit is the label's."""
    right = asked = 0
    for batch in examples(task):
        tokens, positions = torch.from_numpy(batch.tokens), torch.from_numpy(batch.positions)
        said = model(tokens, positions).argmax(-1).numpy()
        right += int(np.sum(said == batch.targets))
        asked += len(said)
        assert len(said) == np.sum(batch.labels != IGNORE)
    return right / asked


def small_task(vocab_size, length):
    """A task of this many tokens and of examples this long, for models that are fed by hand."""
    return MQAR(vocab_size=vocab_size, segments=(Segment(length, 1),), test_examples=1)
