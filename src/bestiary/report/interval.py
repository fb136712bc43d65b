"""The interval shown around a mean over seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from scipy.special import stdtrit

CONFIDENCE = 0.95
MEANING = "95% Student t interval of the mean over seeds, cut at 0 and 1"
ENOUGH_SEEDS = 3


@dataclass(frozen=True)
class Interval:
    """A mean with its bounds; the bounds are None for a single value, which has no spread."""

    mean: float
    low: float | None
    high: float | None

    def overlaps(self, other: Interval) -> bool:
        """Whether the two share a point; a bound that is not there counts as the mean."""
        low, high = self.bounds
        other_low, other_high = other.bounds
        return low <= other_high and other_low <= high

    @property
    def bounds(self) -> tuple[float, float]:
        """Low and high, the mean in place of what is missing."""
        return (
            self.mean if self.low is None else self.low,
            self.mean if self.high is None else self.high,
        )


def mean_interval(values: Sequence[float]) -> Interval:
    """Mean of accuracies in [0, 1] with its Student t interval, mean ± t·s/√n (n - 1 degrees).

    The interval is of the mean over further seeds, not of a single run. It is cut to [0, 1]; with
    one value there is none. Raises ``ValueError`` for no values at all.
    """
    if not values:
        raise ValueError("no values to take the mean of")
    mean = fmean(values)
    if len(values) == 1:
        return Interval(mean, None, None)
    quantile = float(stdtrit(len(values) - 1, 0.5 + CONFIDENCE / 2))
    half = quantile * stdev(values) / sqrt(len(values))
    return Interval(mean, max(0.0, mean - half), min(1.0, mean + half))
