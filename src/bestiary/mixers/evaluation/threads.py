"""One thread for many small operations: starting two would take longer than what they do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch

from bestiary.mixers.evaluation.steps import LongConv, Step
from bestiary.mixers.evaluation.sums import Sum

SMALL = 1 << 17
"""Sums and products a step, on average, below which more threads gain nothing. Torch gives a thread
2^15 numbers at least; and where others use the cores too, each operation waits for the last thread.
"""
TRANSFORM = 16
"""Times as much work a number as a sum: what a filter by FFT takes."""


def work_of(steps: Iterable[object]) -> float:
    """Sums and products of numbers that a step makes on average, for a batch of one."""
    found = [_work(step) for step in steps if isinstance(step, Step)]
    return sum(found) / max(1, len(found))


def _work(step: Step) -> int:
    size, times = len(step.channels) * (step.last - step.first), 1
    for side in (step.gate, step.conv):
        if isinstance(side.moving, LongConv):
            times += TRANSFORM
        elif isinstance(side.moving, Sum):
            times += sum(1 if t.matrix is None else t.matrix.shape[1] for t in side.moving.terms)
    return size * times


@contextmanager
def threads_for(work: float) -> Iterator[None]:
    """One thread of torch within, if the steps are small; as many as before afterwards."""
    before = torch.get_num_threads()
    if before == 1 or work >= SMALL:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
