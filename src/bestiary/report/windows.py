"""How wide the window of learning rates is in which a mixer recalls.

Recurrent and convolutional mixers recall only in a narrow window of rates where attention is
forgiving (arXiv 2508.19029), so a comparison says how wide each window was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from bestiary.report.points import Point
from bestiary.runs.tuning import Tuned, Tuning

SWEEP = "the runs of this experiment"


@dataclass(frozen=True)
class RateCurve:
    """Validation accuracy over learning rate for one mixer at one width.

    source says where the points come from, to follow the word "from".
    """

    mixer: str
    d_model: int | None
    tuned: Tuned
    source: str

    @property
    def means(self) -> dict[float, float]:
        """Rate → mean validation accuracy over the seeds that have one, ascending."""
        by_rate: dict[float, list[float]] = {}
        for trial in self.tuned.points:
            if trial.validation_accuracy is not None:
                by_rate.setdefault(trial.rate, []).append(trial.validation_accuracy)
        return {rate: fmean(by_rate[rate]) for rate in sorted(by_rate)}

    @property
    def at_edge(self) -> bool:
        """Whether the best rate is the lowest or highest tried, so that a better may lie beyond."""
        rates = list(self.means)
        return len(rates) > 1 and self.tuned.rate in (rates[0], rates[-1])

    @property
    def window_text(self) -> str:
        """``1e-3 to 1e-2, a factor of 10 or more``: the window as people say it."""
        window = self.tuned.window
        if window.low == window.high:
            return f"{rate_text(window.low)} alone"
        more = " or more" if window.open_low or window.open_high else ""
        factor = window.high / window.low
        return (
            f"{rate_text(window.low)} to {rate_text(window.high)}, a factor of {factor:.3g}{more}"
        )


def rate_text(rate: float) -> str:
    """``3e-3``: a learning rate as people write it."""
    mantissa, _, exponent = f"{rate:.2e}".partition("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"


def rate_curves(points: Sequence[Point], tuning: Tuning | None) -> list[RateCurve]:
    """Curves of the points run at two rates or more; for other mixers those of the tuning file."""
    curves = [
        RateCurve(point.label, point.d_model, point.tuned, SWEEP)
        for point in points
        if point.tuned and len({trial.rate for trial in point.tuned.points}) > 1
    ]
    if tuning is None:
        return curves
    swept = {curve.mixer for curve in curves}
    width = tuning.experiment.get("model", {}).get("d_model")
    source = f"the tuning file that “{tuning.command}” made"
    for point in dict.fromkeys((point.mixer, point.label) for point in points):
        mixer, label = point
        if label not in swept and mixer in tuning.models:
            curves.append(RateCurve(label, width, tuning.models[mixer], source))
    return curves
