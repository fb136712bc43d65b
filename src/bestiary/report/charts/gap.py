"""Accuracy against the gap between a key and its query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from bestiary.report.charts.chart import (
    Chart,
    LeftOut,
    faded,
    in_panels,
    interval_bars,
    rows_of,
    shown,
    test_accuracy,
    width_fields,
)
from bestiary.report.charts.style import mixer_channels
from bestiary.report.interval import MEANING, mean_interval
from bestiary.report.mixer_kinds import any_trained
from bestiary.report.points import Point, trained_widths

NAME, TITLE = "gap", "Accuracy against the gap"
CAPTION = (
    "Test accuracy of the queries for what stands that many tokens back (the key whose value is "
    "asked for, the trigger, the item to be copied), all test segments "
    "together{of_trained}. A bin holds gaps from one power of two to the next and is drawn around "
    "its middle, side by side. The dashed line is guessing among the answers shown."
)
OF_TRAINED = f": mean over seeds and {MEANING}"
SPREAD, APART = 0.5, 0.12
"""Octaves over which the marks of a bin are spread at most, and between two of them."""


def gap_rows(points: Sequence[Point], results: pl.DataFrame) -> list[dict[str, Any]]:
    """One row a point and bin of gaps; ``place`` keeps equal accuracies from hiding one another."""
    gaps = results.filter((pl.col("split") == "test") & (pl.col("slice") == "gap"))
    by_run: dict[str, list[dict[str, Any]]] = {}
    for row in gaps.iter_rows(named=True):
        by_run.setdefault(row["run_id"], []).append(row)
    widths = trained_widths(points)
    many_widths = len(widths) > 1
    labels = list(dict.fromkeys(point.label for point in points))
    apart = min(APART, SPREAD / len(labels)) if labels else 0.0
    rows: list[dict[str, Any]] = []
    for point in points:
        beside = 2 ** (apart * (labels.index(point.label) - (len(labels) - 1) / 2))
        bins: dict[tuple[int, int], list[dict[str, Any]]] = {}
        for run in point.chosen.finished:
            for row in by_run.get(run["run_id"], []):
                bins.setdefault((row["gap_low"], row["gap_high"]), []).append(row)
        for (low, high), measured in sorted(bins.items()):
            interval = mean_interval([row["accuracy"] for row in measured])
            middle = (max(low, 0.5) * max(high, 0.5)) ** 0.5
            # A compiled model stands beside the trained ones of every width.
            within = widths if many_widths and point.compiled else [None]
            rows += [
                {
                    "kind": "mean",
                    "panel": f"width {width or point.d_model}" if many_widths else "",
                    "mixer": point.label,
                    "point": point.number,
                    **width_fields(point),
                    **({} if width is None else {"d_model": width}),
                    "gap": middle,
                    "place": middle * beside,
                    "bin": f"{low}" if low == high else f"{low} to {high}",
                    "accuracy": interval.mean,
                    "low": interval.bounds[0],
                    "high": interval.bounds[1],
                    "chance": sum(row["chance"] for row in measured) / len(measured),
                    "queries": sum(row["queries"] for row in measured),
                }
                for width in within
            ]
    return rows


def gap_chart(
    points: Sequence[Point], results: pl.DataFrame, mixers: Sequence[str]
) -> Chart | LeftOut:
    """Accuracy over gap, one panel a width."""
    rows = gap_rows(points, results)
    bins = {row["bin"] for row in rows}
    if len(bins) < 2:
        said = "every query has the same gap" if bins else "no finished run has results by gap"
        return LeftOut(NAME, TITLE, said)
    panels = list(dict.fromkeys(r["panel"] for r in sorted(rows, key=lambda r: r["d_model"] or 0)))
    x = alt.X(
        "place:Q",
        scale=alt.Scale(type="log", base=2, nice=False, padding=10),
        axis=alt.Axis(format="d", values=[2**n for n in range(24)], labelOverlap=True),
        title="gap (tokens)",
    )
    y = test_accuracy()
    channels = mixer_channels(mixers)
    means = rows_of("mean")
    layers = [
        means.mark_line(strokeDash=[4, 4], strokeWidth=1.5, color="#808890").encode(
            x=x, y="mean(chance):Q"
        ),
        interval_bars(means, x, channels["color"], 0.3),
        means.mark_line(strokeWidth=2).encode(x=x, y=y, color=channels["color"], opacity=faded()),
        means.mark_point(size=60, filled=True).encode(
            x=x,
            y=y,
            **channels,
            opacity=faded(),
            tooltip=[
                "mixer:N",
                shown("width", "width", "d"),
                alt.Tooltip("bin:N", title="gap"),
                shown("accuracy", "mean accuracy"),
                shown("queries", "queries", ","),
            ],
        ),
    ]
    spec = in_panels(layers, panels, left=56)
    caption = CAPTION.format(of_trained=OF_TRAINED if any_trained(mixers) else "")
    return Chart(NAME, TITLE, caption, spec, rows)
