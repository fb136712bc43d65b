"""Accuracy against model width, one panel a test segment: the paper's figure 2."""

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
    interval_bars,
    rows_of,
    shown,
    test_accuracy,
    width_fields,
)
from bestiary.report.charts.recall import hardness
from bestiary.report.charts.style import mixer_channels
from bestiary.report.interval import MEANING
from bestiary.report.mixer_kinds import any_trained, is_compiled
from bestiary.report.points import trained_widths
from bestiary.report.segments import SegmentResult

NAME, TITLE = "width", "Accuracy against model width"
CAPTION = (
    "Test accuracy, mean over seeds at the rate chosen on validation, one panel a test segment. "
    f"Bars are the {MEANING}; the dashed line is guessing among the answers shown. In MQAR "
    "attention is expected to be flat; gated convolutions to rise once the width nears the length."
)
OF_COMPILED = " A star is a compiled model, at the width that its construction needs."


def width_rows(results: Sequence[SegmentResult]) -> list[dict[str, Any]]:
    """One row a point and segment that has a result."""
    rows = []
    for result in results:
        if result.accuracy is None:
            continue
        low, high = result.accuracy.bounds
        rows.append(
            {
                "kind": "mean",
                "panel": result.setting,
                "mixer": result.point.label,
                "point": result.point.number,
                **width_fields(result.point),
                "length": result.length,
                "pairs": result.pairs,
                "accuracy": result.accuracy.mean,
                "low": low,
                "high": high,
                "seeds": len(result.accuracies),
                "learning_rate": result.point.chosen.learning_rate,
                "chance": result.chance,
            }
        )
    return rows


def width_chart(results: Sequence[SegmentResult], mixers: Sequence[str]) -> Chart | LeftOut:
    """Accuracy over width for each mixer."""
    rows = width_rows(results)
    trained = trained_widths(result.point for result in results if result.accuracies)
    if not any_trained(mixers):
        return LeftOut(NAME, TITLE, NOTHING_TRAINED)
    if len(trained) < 2:
        said = (
            f"every trained run that finished has width {trained[0]}"
            if trained
            else "no trained run has finished yet"
        )
        return LeftOut(NAME, TITLE, f"{said}; sweep model.d_model to draw it")
    widths = sorted({row["width"] for row in rows})
    panels = list(dict.fromkeys(row["panel"] for row in sorted(rows, key=hardness)))
    channels = mixer_channels(mixers)
    x = alt.X(
        "width:Q",
        scale=alt.Scale(type="log", base=2, domain=[widths[0] / 1.15, widths[-1] * 1.15]),
        axis=alt.Axis(values=widths, format="d"),
        title="model width",
    )
    y = test_accuracy()
    means = rows_of("mean")
    layers = [
        means.mark_rule(strokeDash=[4, 4], strokeWidth=1.5).encode(y="min(chance):Q"),
        means.mark_line(strokeWidth=2).encode(x=x, y=y, color=channels["color"], opacity=faded()),
        interval_bars(means, x, channels["color"], 0.45),
        means.mark_point(size=70, filled=True).encode(
            x=x,
            y=y,
            **channels,
            opacity=faded(),
            tooltip=[
                "mixer:N",
                alt.Tooltip("panel:N", title="test segment"),
                shown("width", "width", "d"),
                shown("accuracy", "mean accuracy"),
                shown("low", "interval from"),
                shown("high", "interval to"),
                shown("chance", "guessing"),
                "seeds:Q",
                shown("learning_rate", "learning rate", ".2~e"),
            ],
        ),
    ]
    spec = in_panels(layers, panels, left=56)
    caption = CAPTION + (OF_COMPILED if any(map(is_compiled, mixers)) else "")
    return Chart(NAME, TITLE, caption, spec, rows)
