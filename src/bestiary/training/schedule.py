"""The learning rate as a function of the step, so that no scheduler has a state of its own."""

from __future__ import annotations

import math

from bestiary.training.config import TrainingConfig


def learning_rate(step: int, steps: int, config: TrainingConfig) -> float:
    """The rate of update ``step`` (from 0) out of ``steps``.

    Linear warm-up that reaches the full rate with its last update, then half a cosine that would
    reach 0 one update after the end (Loshchilov and Hutter 2017, arXiv 1608.03983, section 3,
    without restarts).
    """
    warmup = round(config.warmup * steps)
    if step < warmup:
        return config.learning_rate * (step + 1) / warmup
    done = (step - warmup) / max(1, steps - warmup)
    return config.learning_rate * 0.5 * (1.0 + math.cos(math.pi * done))
