"""Drawing MQAR examples, against a loop over examples in the shape of the published generator."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks.ratio import Ratio, interleaved
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.protocol import IGNORE
from bestiary.tasks.segments import Segment

PEAK_BYTES = 200 * 10**6
Arrays = tuple[NDArray[np.int64], NDArray[np.int64]]


def loop_over_examples(vocab_size: int, length: int, pairs: int, examples: int) -> Arrays:
    """Tokens and labels, (examples, length) each, one `np.random.choice` call an example and draw.

    Keys, values and gaps are each chosen without replacement from a table that holds the choices
    once for every example, by the global random state, as published; filler is any token.
    """

    def choose(choices: NDArray[np.int64], p: NDArray[np.float64] | None = None) -> Arrays:
        table = np.tile(choices, (examples, 1))
        return np.apply_along_axis(np.random.choice, 1, table, size=pairs, replace=False, p=p)

    half, context = vocab_size // 2, 2 * pairs
    tokens = np.random.randint(vocab_size, size=(examples, length))
    keys = choose(np.arange(1, half))
    values = choose(np.arange(half, vocab_size))
    tokens[:, 0:context:2], tokens[:, 1:context:2] = keys, values
    places = (length - context) // 2
    p = np.arange(1, places + 1) ** (0.01 - 1)
    positions = context + 2 * choose(np.arange(places), p / p.sum())
    labels = np.full((examples, length), IGNORE)
    np.put_along_axis(tokens, positions, keys, axis=1)
    np.put_along_axis(labels, positions, values, axis=1)
    return tokens, labels


def peak_bytes(run: Callable[[], object]) -> int:
    """Most memory held at once during ``run`` beyond what was held before."""
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


SETTINGS = (
    # vocabulary, length, pairs, examples, least ratio
    (8192, 64, 4, 10_000, 30.0),
    (8192, 512, 64, 1_024, None),
    (256, 64, 8, 1_024, None),
)


def measure() -> list[Ratio]:
    """Time and memory; a fresh task each time, so that nothing is cached."""
    return [measure_setting(*setting) for setting in SETTINGS]


def measure_setting(
    vocab_size: int, length: int, pairs: int, examples: int, bound: float | None
) -> Ratio:
    def draw() -> object:
        return MQAR(vocab_size, (Segment(length, pairs, train=examples),)).arrays("train")

    def loop() -> object:
        return loop_over_examples(vocab_size, length, pairs, examples)

    seconds = interleaved({"loop": loop, "blocks": draw}, rounds=3, warmup=1)
    ours, theirs = peak_bytes(draw), peak_bytes(loop)
    if ours > PEAK_BYTES:
        raise SystemExit(f"drawing took {ours / 1e6:.0f} MB at its peak; 200 MB are allowed")
    return Ratio(
        subject="mqar",
        setting=f"V={vocab_size}, N={length}, K={pairs}, {examples:,} examples",
        baseline="np.random.choice for each example",
        ours="seeded blocks",
        baseline_seconds=seconds["loop"],
        ours_seconds=seconds["blocks"],
        bound=bound,
        note=f"peak {ours / 1e6:.0f} MB against {theirs / 1e6:.0f} MB",
    )
