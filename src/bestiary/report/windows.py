"""How wide the window of learning rates is in which a mixer recalls.

Recurrent and convolutional mixers recall only in a narrow window of rates where attention is
forgiving (arXiv 2508.19029), so a comparison says how wide each window was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
        return self.tuned.means

    @property
    def at_edge(self) -> bool:
        """Whether the best rate is the lowest or highest tried, so that a better may lie beyond."""
        return self.tuned.edge is not None

    @property
    def window_text(self) -> str:
        """``1e-3 to 1e-2, a factor of 10 or more``: the window as people say it."""
        window = self.tuned.window
        if window.low == window.high:
            return window.text
        more = " or more" if window.open_low or window.open_high else ""
        return f"{window.text}, a factor of {window.high / window.low:.3g}{more}"


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
