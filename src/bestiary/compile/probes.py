"""Inputs that show mistakes: random ones, and ones made to be hard."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

RANDOM = 4
"""Sequences of each random kind."""
LARGE, SMALL = 1e4, 1e-4
MOST_IMPULSES = 64
"""Impulses tried; of more places a random choice."""


def probes(rows: int, width: int, seed: int = 0) -> dict[str, Tensor]:
    """Batches of shape (batch, rows, width), float64, by what they try.

    A mistake in one row or channel shows in the impulses, one that cancels on average in the
    constant and alternating ones, loss of precision where large and small numbers meet. Where there
    are no numbers, as in a stack without inputs, every batch is as empty.
    """
    rng = np.random.default_rng(np.random.SeedSequence([seed, rows, width]))
    normal = rng.normal(size=(RANDOM, rows, width))
    places = rng.permutation(rows * width)[:MOST_IMPULSES]
    ends = np.array([0, rows * width - 1])
    places = np.unique(np.concatenate([ends, places])) if width else np.zeros(0, dtype=np.int64)
    impulses = np.zeros((len(places), rows * width))
    impulses[np.arange(len(places)), places] = 1
    signs = (-1.0) ** np.add.outer(np.arange(rows), np.arange(width))
    few = normal * (rng.random(normal.shape) < 0.1)
    mixed = normal * np.where(rng.random(normal.shape) < 0.5, LARGE, SMALL)
    found = {
        "normal": normal,
        "zero": np.zeros((1, rows, width)),
        "constant": np.ones((1, rows, width)),
        "alternating": signs[None],
        "impulses": impulses.reshape(len(places), rows, width),
        "few non-zero": few,
        "large": normal * LARGE,
        "small": normal * SMALL,
        "large among small": mixed,
        "integers": rng.integers(-3, 4, size=normal.shape).astype(float),
    }
    return {name: torch.from_numpy(np.ascontiguousarray(batch)) for name, batch in found.items()}
