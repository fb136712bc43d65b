"""The charts of a report, one idea a file."""

from __future__ import annotations

from bestiary.report.charts.chart import Chart, LeftOut
from bestiary.report.charts.gap import gap_chart
from bestiary.report.charts.rates import rates_chart
from bestiary.report.charts.recall import recall_chart
from bestiary.report.charts.state import state_chart
from bestiary.report.charts.training import training_chart
from bestiary.report.charts.width import width_chart
from bestiary.report.study import Study

__all__ = ["Chart", "LeftOut", "draw"]


def draw(study: Study) -> list[Chart | LeftOut]:
    """Every chart of the study in the order of the page, or why it is left out."""
    mixers = study.mixers
    return [
        recall_chart(study.segments, mixers),
        width_chart(study.segments, mixers),
        state_chart(study.segments, mixers, study.answers),
        gap_chart(study.points, study.results, mixers),
        rates_chart(study.curves, mixers),
        training_chart(study.points, study.history, mixers, "accuracy"),
        training_chart(study.points, study.history, mixers, "loss"),
    ]
