"""How many arrangements there are, as logarithms: most are far above what a float holds."""

from __future__ import annotations

from math import lgamma, log


def log10_arrangements(choices: int, size: int) -> float:
    """log10 of the ordered draws of ``size`` out of ``choices`` without replacement."""
    return (lgamma(choices + 1) - lgamma(choices - size + 1)) / log(10)


def log10_subsets(choices: int, size: int) -> float:
    """log10 of the sets of ``size`` out of ``choices``."""
    return log10_arrangements(choices, size) - lgamma(size + 1) / log(10)
