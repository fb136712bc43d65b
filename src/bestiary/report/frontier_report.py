"""The ways to compile a circuit as text, LaTeX and a plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from bestiary.compile.from_circuit.frontier import Way
from bestiary.report.charts.chart import SOURCE, Chart
from bestiary.report.latex import tabular
from bestiary.report.text_table import aligned

HEADS = ("", "way", "layers", "at most", "d'", "at most", "N'", "at most", "not 0")
LEFT = (0, 1)


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
            "layout": way.name.partition(",")[0],
            "layers": way.layers,
            "channels": way.channels,
            "rows": way.inner_rows,
            "best": "not beaten" if way.best else "beaten",
        }
        for way in ways
    ]
    tooltip = ["way:N", "layers:Q", "channels:Q", alt.Tooltip("rows:Q", title="N'")]
    log = alt.Scale(type="log", base=2, nice=False, padding=20)
    marks = (
        alt.Chart()
        .mark_point(filled=True, size=80)
        .encode(
            x=alt.X("layers:Q", title="layers", scale=log),
            y=alt.Y("channels:Q", title="channels, d'", scale=log),
            color=alt.Color("layout:N", legend=alt.Legend(title=None)),
            opacity=alt.Opacity(
                "best:N",
                scale=alt.Scale(domain=["not beaten", "beaten"], range=[1, 0.3]),
                legend=alt.Legend(title=None),
            ),
            tooltip=tooltip,
        )
    )
    drawn: Any = marks
    if floor:
        line = alt.Chart().mark_rule(strokeDash=[4, 4], opacity=0.6).encode(x=alt.datum(floor))
        drawn = alt.layer(line, marks)
    drawn.data = alt.NamedData(name=SOURCE)
    spec: dict[str, Any] = drawn.properties(width=420, height=300).to_dict(validate=False)
    spec.pop("config", None)
    told = f"; dashed: no fewer than {floor} layers can do" if floor else ""
    caption = f"Every way to compile {name}: layers against channels{told}."
    return Chart("frontier", f"Ways to compile {name}", caption, spec, points)
