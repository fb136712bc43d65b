"""The headline: the accuracy of each mixer with its seeds and interval, against guessing."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Sequence
from typing import Any, Literal

import altair as alt

from bestiary.report.charts.chart import Chart, LeftOut, in_panels, rows_of, shown, width_fields
from bestiary.report.charts.style import shape_scale
from bestiary.report.interval import MEANING
from bestiary.report.mixer_kinds import any_trained, is_compiled
from bestiary.report.points import trained_widths
from bestiary.report.segments import SegmentResult
from bestiary.report.table import share

NAME = "recall"
MEASURED = "Test accuracy."
OF_TRAINED = (
    "Test accuracy at the learning rate chosen on validation. Large marks are means over seeds, "
    f"bars the {MEANING}, small circles the seeds."
)
DASHED = "The dashed line is guessing among the answers shown."
OF_COMPILED = "A star is a compiled model, whose weights were set by hand."

LABEL_LETTERS, LABEL_WIDTH, LINE_HEIGHT = 28, 210, 14
"""Letters of one line of a label, at most, and the pixels that are kept for them."""

SIDES: tuple[tuple[str, Literal["left", "right"], int], ...] = (
    (">", "right", -1),
    ("<=", "left", 1),
)
"""Text stands where there is room: left of what has more there than on its right, else right."""


def recall_rows(results: Sequence[SegmentResult]) -> list[dict[str, Any]]:
    """Rows of kind ``mean`` (with the interval and the chance) and ``seed``."""
    widths = trained_widths(result.point for result in results)
    rows: list[dict[str, Any]] = []
    for result in results:
        if result.accuracy is None:
            continue
        point = result.point
        one = f"width {widths[0]}, " if len(widths) == 1 else ""
        own = f", width {point.d_model}" if point.compiled or len(widths) > 1 else ""
        shared = {
            "panel": f"{one}{result.setting}",
            "name": f"{point.label}{own}",
            "mixer": point.label,
            "point": point.number,
            **width_fields(point),
            "length": result.length,
            "pairs": result.pairs,
        }
        low, high = result.accuracy.bounds
        value = result.accuracy.mean
        mean = {"accuracy": value, "said": share(value), "low": low, "high": high}
        rows.append({"kind": "mean", **shared, **mean, "chance": result.chance})
        for run, accuracy in zip(point.chosen.finished, result.accuracies, strict=True):
            rows.append({"kind": "seed", **shared, "accuracy": accuracy, "seed": run["seed"]})
    return rows


def recall_chart(results: Sequence[SegmentResult], mixers: Sequence[str]) -> Chart | LeftOut:
    """Accuracy per mixer (and width), one panel a test segment."""
    rows, trained = recall_rows(results), any_trained(mixers)
    title = f"What each {'mixer' if trained else 'model'} recalls"
    if not rows:
        return LeftOut(NAME, title, "no run has finished yet")
    names = list(dict.fromkeys(row["name"] for row in rows))
    panels = list(dict.fromkeys(row["panel"] for row in sorted(rows, key=hardness)))
    lines = {name: in_lines(name) for name in names}
    axis = alt.Axis(
        labelExpr=f"({json.dumps(lines)})[datum.value]",
        labelLineHeight=LINE_HEIGHT,
        labelLimit=0,
        labelFontSize=12,
    )
    y = alt.Y("name:N", sort=names, title=None, axis=axis)
    x = alt.X(
        "accuracy:Q",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(tickCount=5),
        title="test accuracy",
    )
    colour = alt.Color("mixer:N", scale=alt.Scale(domain=list(mixers)), legend=None)
    shape = alt.Shape("mixer:N", scale=shape_scale(mixers), legend=None)
    means = rows_of("mean")
    layers = [
        means.mark_rule(strokeDash=[4, 4], strokeWidth=1.5).encode(x="min(chance):Q"),
        *(
            means.transform_filter(f"datum.chance {test} 0.5")
            .mark_text(text="guessing", align=align, dx=5 * sign, fontSize=10)
            .encode(x="min(chance):Q", y=alt.value(2))
            for test, align, sign in SIDES
        ),
        *(
            means.transform_filter(f"datum.low {test} 1 - datum.high")
            .mark_text(align=align, dx=11 * sign)
            .encode(x="low:Q" if sign < 0 else "high:Q", y=y, text="said:N")
            for test, align, sign in SIDES
        ),
        means.mark_rule(strokeWidth=3, opacity=0.45).encode(
            x=alt.X("low:Q"), x2="high:Q", y=y, color=colour
        ),
        rows_of("seed")
        .mark_point(size=28, filled=False, strokeWidth=1.2, opacity=0.9)
        .encode(
            x=x,
            y=y,
            color=colour,
            tooltip=["name:N", "panel:N", "seed:Q", shown("accuracy", "accuracy")],
        ),
        means.mark_point(size=110, filled=True, opacity=1).encode(
            x=x,
            y=y,
            color=colour,
            shape=shape,
            tooltip=[
                "name:N",
                "panel:N",
                shown("accuracy", "mean accuracy"),
                shown("low", "interval from"),
                shown("high", "interval to"),
                shown("chance", "guessing"),
            ],
        ),
    ]
    longest = max(len(line) for label in lines.values() for line in label)
    most = max(map(len, lines.values()))
    step = alt.Step(max(30, LINE_HEIGHT * most + 4))
    spec = in_panels(layers, panels, left=min(LABEL_WIDTH, 20 + 7 * longest), height=step)
    said = [OF_TRAINED if trained else MEASURED, DASHED]
    if any(map(is_compiled, mixers)):
        said.append(OF_COMPILED)
    return Chart(NAME, title, " ".join(said), spec, rows)


def in_lines(name: str) -> list[str]:
    """A label in lines that are short enough, broken after commas where it has any."""
    lines: list[str] = []
    for piece in re.split("(?<=,)", name):
        if lines and len(lines[-1]) + len(piece) <= LABEL_LETTERS:
            lines[-1] += piece
        else:
            lines += textwrap.wrap(piece, LABEL_LETTERS)
    return lines


def hardness(row: dict[str, Any]) -> tuple[int, int]:
    """Shorter and fewer pairs first; unknown before all."""
    return (row["length"] or 0, row["pairs"] or 0)
