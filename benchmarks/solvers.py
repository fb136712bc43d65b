"""Recall by hand-set weights: a batch of MQAR through whole compiled models, and their making.

`python -m benchmarks solvers` measures all pairs at 256 tokens against a bound, and beside it the
sort at 1,024, which keeps masks of positions by their structure.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
import torch

from benchmarks.butterfly import set_up
from benchmarks.ratio import Ratio, interleaved
from bestiary.solvers import SolverSpec, build_solver
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.segments import Segment

MOST_SECONDS = 3.0
"""For all pairs at V = 256, N = 256 and a batch of 64, on two cores."""
A_MINUTE = 60.0
"""What the others are shown against, to which no bound is set."""


def measure() -> list[Ratio]:
    """A batch through each solver, then the seconds to make it."""
    how = set_up()
    return [
        *_solver("all-pairs", 256, 256, 32, 64, how, MOST_SECONDS),
        *_solver("sort", 8192, 1024, 64, 16, how, None),
    ]


def _solver(
    name: str, vocab: int, length: int, pairs: int, batch: int, how: str, bound: float | None
) -> list[Ratio]:
    task = MQAR(vocab_size=vocab, segments=(Segment(length, pairs, 1, 1, batch),))
    examples = task.stream("test").examples(0, range(batch))
    tokens, positions = torch.from_numpy(examples.tokens), torch.from_numpy(examples.positions)
    start = perf_counter()
    model = build_solver(SolverSpec(name), task).build()
    making = perf_counter() - start
    best = interleaved({"ours": lambda: model(tokens, positions)}, rounds=3, warmup=1)
    right = np.mean(model(tokens, positions).argmax(-1).numpy() == examples.targets)
    setting = f"V={vocab:,}, N={length:,}, K={pairs}"
    ours = f"compiled:{name} ({model.size.layers} layers, d' {model.size.width:,})"
    rows = {f"batch {batch}, forward": (best["ours"], bound), "made": (making, None)}
    return [
        Ratio(
            subject="recall by hand-set weights",
            setting=f"{setting}, {what}",
            baseline=f"{limit or A_MINUTE:.0f} s",
            ours=ours,
            baseline_seconds=limit or A_MINUTE,
            ours_seconds=seconds,
            bound=None if limit is None else 1.0,
            note=f"{how}; accuracy {right:.3f}",
        )
        for what, (seconds, limit) in rows.items()
    ]
