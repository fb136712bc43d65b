"""The numbers that named transforms are shown with, a pure function of n."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SEED = 2026


def generator(n: int, which: int = 0) -> np.random.Generator:
    """The generator for size n; ``which`` tells several draws of one transform apart."""
    return np.random.default_rng((SEED, n, which))


def numbers(n: int, which: int = 0) -> NDArray[np.float64]:
    """n numbers of a standard normal distribution."""
    return generator(n, which).standard_normal(n)


def shuffled(n: int, which: int = 0) -> list[int]:
    """The source of a random permutation."""
    return [int(i) for i in generator(n, which).permutation(n)]


def stride(n: int) -> list[int]:
    """Even indices, then odd ones."""
    return [*range(0, n, 2), *range(1, n, 2)]
