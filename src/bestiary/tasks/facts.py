"""What is true of MQAR data, measured on it: labels, filler that looks like a query, solvers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestiary.tasks.blocks import spans
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.protocol import IGNORE, Batch, Split


@dataclass(frozen=True)
class Facts:
    """Measurements on one segment of one split.

    labels_least, labels_most: labelled positions of an example.
    filler_keys: share of filler tokens that are keys of their own example.
    filler_keys_per_example: their mean number; examples_with_filler_keys: share with at least one.
    shadowed: share of labelled queries with an equal filler token between the context and them.
    solver: accuracy at labelled positions of ``MQAR.solve``, which reads the context.
    latest: accuracy of answering with the token after the key's latest earlier occurrence.
    unasked: answers of the solver at positions without a label, per example.
    """

    split: Split
    length: int
    pairs: int
    examples: int
    labels_least: int
    labels_most: int
    filler_keys: float
    filler_keys_per_example: float
    examples_with_filler_keys: float
    shadowed: float
    solver: float
    latest: float
    unasked: float


def measure(task: MQAR, split: Split) -> list[Facts]:
    """Measure every segment of ``split``, a block at a time."""
    stream = task.stream(split)
    rows = []
    for number, segment in enumerate(stream.segments):
        parts = [
            _counts(task, stream.examples(number, span), segment.pairs)
            for span in spans(segment.examples)
        ]
        labels = np.concatenate([part.pop("labels") for part in parts])
        total = {name: float(sum(part[name].sum() for part in parts)) for name in parts[0]}
        queries, examples = float(labels.sum()), segment.examples
        rows.append(
            Facts(
                split,
                segment.length,
                segment.pairs,
                examples,
                int(labels.min()),
                int(labels.max()),
                total["filler_keys"] / max(total["filler"], 1),
                total["filler_keys"] / examples,
                total["touched"] / examples,
                total["shadowed"] / queries,
                total["solver"] / queries,
                total["latest"] / queries,
                total["unasked"] / examples,
            )
        )
    return rows


def _counts(task: MQAR, batch: Batch, pairs: int) -> dict[str, NDArray[np.int64]]:
    """Counts by example, (batch,) each."""
    context = 2 * pairs
    later = batch.tokens[:, context:]
    labels = batch.labels[:, context:]
    filler = labels == IGNORE
    solved = task.solve(batch.tokens)
    scored = batch.labels != IGNORE
    counts = {
        "labels": scored.sum(axis=1),
        "filler": filler.sum(axis=1),
        "solver": (scored & (solved == batch.labels)).sum(axis=1),
        "unasked": (~scored & (solved != IGNORE)).sum(axis=1),
    }
    for name in ("filler_keys", "shadowed", "latest"):
        counts[name] = np.zeros(len(batch), dtype=np.int64)
    for pair in range(pairs):
        key = batch.tokens[:, 2 * pair, None]
        alike = later == key
        # The query's place: the one among its equals that has a label.
        place = np.argmax(alike & ~filler, axis=1)
        before = np.arange(later.shape[1]) < place[:, None]
        counts["filler_keys"] += (alike & filler).sum(axis=1)
        counts["shadowed"] += (alike & before).any(axis=1)
        right = np.take_along_axis(labels, place[:, None], axis=1)[:, 0]
        counts["latest"] += _after_latest(batch.tokens, key, context + place) == right
    counts["touched"] = counts["filler_keys"] > 0
    return counts


def _after_latest(
    tokens: NDArray[np.int64], key: NDArray[np.int64], query: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The token after the latest occurrence of ``key`` before ``query``, (batch,)."""
    length = tokens.shape[1]
    earlier = (tokens == key) & (np.arange(length) < query[:, None])
    latest = length - 1 - np.argmax(earlier[:, ::-1], axis=1)
    return tokens[np.arange(len(tokens)), latest + 1]
