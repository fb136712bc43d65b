"""Training curves: accuracy and loss over optimizer steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import altair as alt
import polars as pl

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
from bestiary.report.points import Point, trained_widths

MOST_POINTS = 80
"""Points a curve is thinned to; the first and the last always stay."""

Measure = Literal["accuracy", "loss"]
NAMES: Mapping[Measure, tuple[str, str]] = {
    "accuracy": ("training-accuracy", "Accuracy while training"),
    "loss": ("training-loss", "Loss while training"),
}
CAPTIONS: Mapping[Measure, str] = {
    "accuracy": (
        "Accuracy on the validation stream, one line a seed, at the rate chosen. The dashed line "
        "is guessing among the answers shown. Long flat stretches before a sudden rise are usual."
    ),
    "loss": "Cross-entropy in nats on the validation stream, one line a seed, at the rate chosen.",
}


def curve_rows(
    points: Sequence[Point], history: pl.DataFrame, measure: Measure
) -> list[dict[str, Any]]:
    """Validation rows of the runs at the chosen rates, thinned."""
    kept = history.filter((pl.col("split") == "validation") & pl.col(measure).is_finite())
    curves = {
        key[0]: frame.sort("step")
        for key, frame in kept.partition_by("run_id", as_dict=True).items()
    }
    many_widths = len(trained_widths(points)) > 1
    # A number tells the lines apart as well as an id does, in a fraction of the page.
    number = {run["run_id"]: n for n, run in enumerate(r for p in points for r in p.runs)}
    rows: list[dict[str, Any]] = []
    for point in points:
        for run in point.chosen.runs:
            if run["run_id"] not in curves:
                continue
            curve = curves[run["run_id"]].select("step", measure).rows()
            rows += [
                {
                    "kind": "curve",
                    "panel": f"width {point.d_model}" if many_widths else "",
                    "mixer": point.label,
                    "point": point.number,
                    "d_model": point.d_model,
                    "run": number[run["run_id"]],
                    "seed": run["seed"],
                    "status": run["status"],
                    "step": step,
                    measure: float(f"{value:.5g}"),
                    **({"chance": run["chance"]} if measure == "accuracy" else {}),
                }
                for step, value in thinned(curve)
            ]
    return rows


def thinned(curve: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """At most ``MOST_POINTS`` of the curve, evenly, with both ends."""
    if len(curve) <= MOST_POINTS:
        return list(curve)
    last = len(curve) - 1
    return [curve[round(i * last / (MOST_POINTS - 1))] for i in range(MOST_POINTS)]


def training_chart(
    points: Sequence[Point], history: pl.DataFrame, mixers: Sequence[str], measure: Measure
) -> Chart | LeftOut:
    """One measure over steps, one panel a width."""
    name, title = NAMES[measure]
    if not any_trained(mixers):
        return LeftOut(name, title, NOTHING_TRAINED)
    rows = curve_rows(points, history, measure)
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["run"]] = counts.get(row["run"], 0) + 1
    if not counts or max(counts.values()) < 2:
        return LeftOut(name, title, "no run was validated twice while it trained")
    panels = list(dict.fromkeys(r["panel"] for r in sorted(rows, key=lambda r: r["d_model"])))
    channels = mixer_channels(mixers, dashed=True, trained=True)
    x = alt.X("step:Q", title="optimizer step", axis=alt.Axis(format="~s", tickCount=6))
    scale = alt.Scale(domain=[0, 1]) if measure == "accuracy" else alt.Scale(zero=True)
    said = "validation accuracy" if measure == "accuracy" else "validation loss (nats)"
    y = alt.Y(f"{measure}:Q", scale=scale, title=said)
    curves = rows_of("curve")
    tooltip = [
        "mixer:N",
        shown("d_model", "width", "d"),
        "seed:Q",
        "status:N",
        "step:Q",
        shown(measure, measure),
    ]
    lines = curves.mark_line(strokeWidth=1.6).encode(
        x=x, y=y, detail="run:N", opacity=faded(0.85), **channels
    )
    # A line's tooltip would name the first of its points; invisible marks answer instead.
    answers = curves.mark_point(size=40, filled=True, opacity=0).encode(x=x, y=y, tooltip=tooltip)
    layers = [lines, answers]
    if measure == "accuracy":
        layers.insert(
            0, curves.mark_rule(strokeDash=[4, 4], strokeWidth=1.5).encode(y="min(chance):Q")
        )
    spec = in_panels(layers, panels, left=56)
    return Chart(name, title, CAPTIONS[measure], spec, rows)
