"""The ways to compile a circuit as text, LaTeX and a plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from bestiary.compile.from_circuit.frontier import Way
from bestiary.report.charts.chart import SOURCE, Chart
from bestiary.report.latex import tabular
from bestiary.text_table import aligned

HEADS = ("", "way", "layers", "at most", "d'", "at most", "N'", "at most", "not 0")
LEFT = (0, 1)
LAYOUTS = ("wide", "narrow", "narrow, ring")
MOST_TICKS = 8


def text_lines(ways: Sequence[Way]) -> list[str]:
    """An aligned table, a star at the ways that none beats; a dash where nothing is stated.

    ``auto`` stands at the way that ``layout="auto"`` takes.
    """
    return aligned([HEADS, *([*_mark(way), *_cells(way)] for way in ways)], LEFT)


def latex(ways: Sequence[Way]) -> str:
    """A ``tabular`` with rules of booktabs."""
    return tabular("l" + "r" * 7, list(HEADS[1:]), [[_cells(way) for way in ways]])


def _mark(way: Way) -> list[str]:
    return [f"{'*' if way.best else ' '}{' auto' if way.auto else ''}".rstrip()]


def _cells(way: Way) -> list[str]:
    stated = way.bound
    limits = (None,) * 3 if stated is None else (stated.layers, stated.width, stated.inner_rows)
    numbers = [
        number
        for measured, limit in zip((way.layers, way.channels, way.inner_rows), limits, strict=True)
        for number in (measured, limit)
    ]
    return [way.name, *("–" if n is None else f"{n:,}" for n in (*numbers, way.nonzeros))]


def chart(ways: Sequence[Way], name: str, floor: int | None) -> Chart:
    """Layers against channels, both logarithmic, with the floor as a line."""
    points: list[dict[str, Any]] = [
        {
            "way": way.name,
            "layout": _layout(way),
            "layers": way.layers,
            "channels": way.channels,
            "rows": way.inner_rows,
            "best": "not beaten" if way.best else "beaten",
            "told": "auto" if way.auto else "",
            "floor": floor,
        }
        # Those that are not beaten on top.
        for way in sorted(ways, key=lambda way: way.best)
    ]
    layers = [way.layers for way in ways] + ([floor] if floor else [])
    x = _logarithmic(alt.X, "layers", "layers", layers)
    y = _logarithmic(alt.Y, "channels", "channels, d'", [way.channels for way in ways])
    legend = alt.Legend(title=None, columnPadding=20)
    told_apart = None if all(way.best for way in ways) else legend
    shown = alt.Scale(domain=["not beaten", "beaten"], range=[1, 0.3])
    series = alt.Scale(domain=[one for one in LAYOUTS if one in {p["layout"] for p in points}])
    base = alt.Chart().encode(x=x, y=y)
    marks = base.mark_point(filled=True, size=70).encode(
        color=alt.Color("layout:N", scale=series, legend=legend),
        shape=alt.Shape("layout:N", scale=series, legend=legend),
        opacity=alt.Opacity("best:N", scale=shown, legend=told_apart),
        tooltip=["way:N", "layers:Q", "channels:Q", alt.Tooltip("rows:Q", title="N'")],
    )
    drawn = [marks, base.mark_text(dy=-12).encode(text="told:N")]
    if floor:
        # The least of the same number: one line, not one on top of the other for every way.
        line = alt.Chart().encode(x=alt.X("min(floor):Q", title="layers"))
        text = line.mark_text(align="left", dx=4, dy=8).encode(
            y=alt.value(0), text=alt.datum(f"floor {floor}")
        )
        drawn = [line.mark_rule(strokeDash=[4, 4], opacity=0.6), text, *drawn]
    layered = alt.layer(*drawn)
    layered.data = alt.NamedData(name=SOURCE)
    spec: dict[str, Any] = layered.properties(width=420, height=300).to_dict(validate=False)
    spec.pop("config", None)
    told = f"; dashed: no fewer than {floor} layers can do" if floor else ""
    caption = f"Every way to compile {name}: layers against channels{told}."
    return Chart("frontier", f"Ways to compile {name}", caption, spec, points)


def _layout(way: Way) -> str:
    """The layout as the legend has it."""
    layout = way.name.partition(",")[0]
    return f"{layout}, ring" if way.name.endswith("ring") else layout


def _logarithmic(channel: Any, field: str, title: str, values: Sequence[int]) -> Any:
    """An axis from the power of two below all values to the one above, ticks at powers of two."""
    low, high = min(values).bit_length() - 1, max(max(values) - 1, 1).bit_length()
    high = max(high, low + 1)
    step = -(-(high - low) // MOST_TICKS)
    scale = alt.Scale(type="log", base=2, domain=[1 << low, 1 << high], nice=False, padding=20)
    ticks = alt.Axis(values=[1 << i for i in range(low, high + 1, step)], format=",d")
    return channel(f"{field}:Q", title=title, scale=scale, axis=ticks)
