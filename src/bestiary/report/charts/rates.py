"""Accuracy against learning rate, with the window that reaches 90 % of the best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from bestiary.report.charts.chart import (
    NOTHING_TRAINED,
    Chart,
    LeftOut,
    faded,
    in_panels,
    rows_of,
    shown,
)
from bestiary.report.charts.style import mixer_channels
from bestiary.report.mixer_kinds import any_trained
from bestiary.report.windows import RateCurve
from bestiary.runs.tuning import REACH

NAME, TITLE = "rates", "Accuracy against learning rate"
CAPTION = (
    "Validation accuracy, mean over seeds, at every learning rate tried; a run that diverged "
    "counts as 0. The large mark is the rate chosen; the bar spans the rates that reach "
    f"{round(100 * REACH)}% of the best. A narrow bar is a mixer that must be tuned with care."
)


def rate_rows(curves: Sequence[RateCurve]) -> list[dict[str, Any]]:
    """Rows of kind ``rate``, ``best`` and ``window``."""
    many_widths = len({curve.d_model for curve in curves}) > 1
    rows: list[dict[str, Any]] = []
    for curve in curves:
        shared = {
            "panel": f"width {curve.d_model}" if many_widths and curve.d_model else "",
            "mixer": curve.mixer,
            "d_model": curve.d_model,
        }
        trials = [trial.rate for trial in curve.tuned.points]
        for rate, accuracy in curve.means.items():
            values = {"learning_rate": rate, "accuracy": accuracy, "seeds": trials.count(rate)}
            rows.append({"kind": "rate", **shared, **values})
            if rate == curve.tuned.rate:
                rows.append({"kind": "best", **shared, **values})
        rows.append(
            {
                "kind": "window",
                **shared,
                "learning_rate": curve.tuned.window.low,
                "to": curve.tuned.window.high,
                "accuracy": REACH * curve.tuned.validation_accuracy,
                "window": curve.window_text,
            }
        )
    return rows


def rates_chart(curves: Sequence[RateCurve], mixers: Sequence[str]) -> Chart | LeftOut:
    """Accuracy over learning rate, one panel a width."""
    if not any_trained(mixers):
        return LeftOut(NAME, TITLE, NOTHING_TRAINED)
    if not curves:
        said = "every mixer was run at one learning rate; sweep training.learning_rate to draw it"
        return LeftOut(NAME, TITLE, said)
    rows = rate_rows(curves)
    panels = list(dict.fromkeys(r["panel"] for r in sorted(rows, key=lambda r: r["d_model"] or 0)))
    rates = sorted({row["learning_rate"] for row in rows})
    channels = mixer_channels(mixers, trained=True)
    x = alt.X(
        "learning_rate:Q",
        scale=alt.Scale(type="log", domain=[rates[0] / 1.3, rates[-1] * 1.3], nice=False),
        axis=alt.Axis(values=rates, format="~e", labelOverlap=True),
        title="learning rate",
    )
    y = alt.Y("accuracy:Q", scale=alt.Scale(domain=[0, 1]), title="validation accuracy")
    tooltip = [
        "mixer:N",
        shown("d_model", "width", "d"),
        shown("learning_rate", "learning rate", ".2~e"),
        shown("accuracy", "mean accuracy", ".4f"),
        "seeds:Q",
    ]
    layers = [
        rows_of("rate")
        .mark_line(strokeWidth=1.8)
        .encode(x=x, y=y, color=channels["color"], opacity=faded()),
        rows_of("rate")
        .mark_point(size=40, filled=True)
        .encode(x=x, y=y, **channels, opacity=faded(), tooltip=tooltip),
        rows_of("best")
        .mark_point(size=170, filled=False, strokeWidth=2.5)
        .encode(x=x, y=y, **channels, opacity=faded(), tooltip=tooltip),
        rows_of("window")
        .mark_rule(strokeWidth=5, strokeCap="round")
        .encode(
            x=x,
            x2="to:Q",
            y=y,
            color=channels["color"],
            opacity=faded(0.4),
            tooltip=["mixer:N", shown("d_model", "width", "d"), "window:N"],
        ),
    ]
    spec = in_panels(layers, panels, left=56)
    sources = " and ".join(dict.fromkeys(curve.source for curve in curves))
    return Chart(NAME, TITLE, f"{CAPTION} Measured by {sources}.", spec, rows)
