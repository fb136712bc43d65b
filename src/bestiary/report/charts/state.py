"""Accuracy against state size, under the ceiling that information theory sets any memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np

from bestiary.errors import counted
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
from bestiary.report.charts.recall import hardness
from bestiary.report.charts.style import line_legend, mixer_channels
from bestiary.report.segments import SegmentResult
from bestiary.report.verdict import joined
from bestiary.tasks.ceiling import recall_ceiling

NAME, TITLE = "state", "Accuracy against state size"
CAPTION = (
    "Test accuracy over the elements of state that one sequence carries at the segment's length. "
    "The solid and the dashed line are the most that any memory of that size can recall, with 32 "
    "and with 1 bit an element, of values drawn independently; distinct ones, as MQAR has them, "
    "need a little less. Where both are 1, one lies on the other. A memory that also stores the "
    "keys meets its limit earlier. The dotted line is guessing among the answers shown."
)
ASIDE = " Marks of one state size and nearly one accuracy stand side by side."
OF_BITS = " Elements of {} are single bits, with the dashed line as their ceiling."
OF_NUMBERS = " Elements of {} are numbers of 32 bits, with the solid line as their ceiling."
OF_OWN = " How many bits an element of {} holds is not known."
OF_ATTENTION = "attention"
"""The one built-in solver whose elements of state are numbers."""

BITS = (32, 1)
APART, LEVEL = 0.045, 0.04
"""The part of the axis between marks of one size, and the accuracies so near that they overlap."""

CURVE_POINTS = 160


def state_rows(
    results: Sequence[SegmentResult], values: Mapping[int, int | None]
) -> list[dict[str, Any]]:
    """Rows of kind ``mean``, and of kind ``ceiling`` where the number of values is known.

    values: point number → from how many values each answer is drawn.
    """
    rows: list[dict[str, Any]] = []
    curves: dict[str, tuple[SegmentResult, int]] = {}
    for result in results:
        # A model without any state (a convolution of length 1) has no place on a logarithm.
        if result.accuracy is None or not result.state_size:
            continue
        rows.append(
            {
                "kind": "mean",
                "panel": result.setting,
                "mixer": result.point.label,
                "point": result.point.number,
                **width_fields(result.point),
                "length": result.length,
                "pairs": result.pairs,
                "state_size": result.state_size,
                "place": float(result.state_size),
                "accuracy": result.accuracy.mean,
                "low": result.accuracy.bounds[0],
                "high": result.accuracy.bounds[1],
                "chance": result.chance,
            }
        )
        choices = values.get(result.point.number)
        if choices and result.pairs:
            curves.setdefault(result.setting, (result, choices))
    if rows:
        sizes = [row["state_size"] for row in rows]
        for result, choices in curves.values():
            rows += ceiling_rows(result, choices, min(sizes), max(sizes))
        set_apart(rows)
    return rows


def set_apart(rows: Sequence[dict[str, Any]]) -> None:
    """Move ``place`` of marks that would hide one another, evenly to both sides of their size."""
    sizes = [row["state_size"] for row in rows]
    step = (max(sizes) / min(sizes)) ** APART
    if step == 1:
        step = 2**APART
    groups: list[list[dict[str, Any]]] = []
    for row in rows:
        if row["kind"] != "mean":
            continue
        for group in groups:
            first = group[0]
            alike = all(first[name] == row[name] for name in ("panel", "state_size"))
            if alike and abs(first["accuracy"] - row["accuracy"]) < LEVEL:
                group.append(row)
                break
        else:
            groups.append([row])
    for group in groups:
        for number, row in enumerate(group):
            row["place"] = row["state_size"] * step ** (number - (len(group) - 1) / 2)


def of_compiled(results: Sequence[SegmentResult]) -> str:
    """What the elements of compiled models are; a solver of one's own may count anything."""
    labels: dict[str, list[str]] = {OF_BITS: [], OF_NUMBERS: [], OF_OWN: []}
    for point in {result.point.number: result.point for result in results}.values():
        if point.compiled:
            solver = point.runs[0]["model.compiled"]
            own = OF_OWN if ":" in solver else OF_BITS
            labels[OF_NUMBERS if solver == OF_ATTENTION else own].append(point.label)
    return "".join(said.format(joined(names)) for said, names in labels.items() if names)


def ceiling_rows(
    result: SegmentResult, choices: int, smallest: int, largest: int
) -> list[dict[str, Any]]:
    """The ceilings of a segment, from the smallest state to the largest.

    Where no state is so large, they go on to where each element need hold one bit.
    """
    assert result.pairs is not None
    low, high = float(smallest), max(largest, 2 * result.pairs * np.log2(choices))
    if high < 4 * low:
        # A single size alone would be an axis of no length.
        low, high = low / 2, high * 2
    sizes = np.geomspace(low, high, CURVE_POINTS)
    return [
        {
            "kind": "ceiling",
            "panel": result.setting,
            "length": result.length,
            "pairs": result.pairs,
            "bits": f"ceiling, {counted(bits, 'bit')} an element",
            "state_size": float(f"{size:.5g}"),
            "accuracy": float(f"{accuracy:.5g}"),
        }
        for bits in BITS
        for size, accuracy in zip(
            sizes, recall_ceiling(sizes * bits, result.pairs, choices), strict=True
        )
    ]


def state_chart(
    results: Sequence[SegmentResult],
    mixers: Sequence[str],
    values: Mapping[int, int | None],
) -> Chart | LeftOut:
    """Accuracy over state size, one panel a test segment."""
    rows = state_rows(results, values)
    if not any(row["kind"] == "mean" for row in rows):
        return LeftOut(NAME, TITLE, "no finished run says how large its state is")
    panels = list(dict.fromkeys(row["panel"] for row in sorted(rows, key=hardness)))
    channels = mixer_channels(mixers)
    x, place = size_axis("state_size"), size_axis("place")
    y = test_accuracy()
    means = rows_of("mean")
    bits = alt.StrokeDash(
        "bits:N",
        scale=alt.Scale(
            domain=[f"ceiling, {counted(b, 'bit')} an element" for b in BITS],
            range=[[1, 0], [5, 4]],
        ),
        # Apart from the mixers' legend, for both in one line are too wide for a phone.
        legend=line_legend(orient="bottom"),
    )
    layers = [
        # Dotted, for the dashes are a ceiling's here.
        means.mark_rule(strokeDash=[0.1, 4], strokeCap="round", strokeWidth=2).encode(
            y="min(chance):Q"
        ),
        *(
            means.transform_filter(f"datum.chance {test} 0.5")
            .mark_text(text="guessing", align="right", dx=-2, dy=below, fontSize=10)
            .encode(x=alt.value("width"), y="min(chance):Q")
            for test, below in (("<=", -7), (">", 8))
        ),
        rows_of("ceiling")
        .mark_line(strokeWidth=1.5, color="#808890")
        .encode(
            x=x,
            y=y,
            strokeDash=bits,
            tooltip=[
                alt.Tooltip("bits:N", title="ceiling"),
                shown("state_size", "state size", ",.4~r"),
                shown("accuracy", "at most"),
            ],
        ),
        interval_bars(means, place, channels["color"], 0.45),
        means.mark_point(size=80, filled=True).encode(
            x=place,
            y=y,
            **channels,
            opacity=faded(),
            tooltip=[
                "mixer:N",
                shown("width", "width", "d"),
                alt.Tooltip("panel:N", title="test segment"),
                shown("state_size", "state size", ","),
                shown("accuracy", "mean accuracy"),
            ],
        ),
    ]
    spec = in_panels(layers, panels, left=56)
    moved = any(row["kind"] == "mean" and row["place"] != row["state_size"] for row in rows)
    caption = CAPTION + (ASIDE if moved else "") + of_compiled(results)
    return Chart(NAME, TITLE, caption, spec, rows)


def size_axis(field: str) -> alt.X:
    """The axis of state sizes, for the size itself or where its mark stands."""
    return alt.X(
        f"{field}:Q",
        scale=alt.Scale(type="log", nice=False, padding=14),
        # The SI prefix of thousandths (m) reads like a million here; write small numbers out.
        axis=alt.Axis(
            labelExpr="format(datum.value, datum.value < 1 ? '~r' : '~s')",
            tickCount=5,
            labelOverlap=True,
        ),
        title="state size (elements)",
    )
