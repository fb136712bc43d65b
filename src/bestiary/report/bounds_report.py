"""The table of bounds as text, CSV, LaTeX and a plot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import altair as alt

from bestiary.compile.bounds_table import COLUMNS, Row
from bestiary.report.charts.chart import SOURCE, Chart
from bestiary.report.latex import Tex, tabular
from bestiary.text_table import aligned

SERIES = ("compiled", "paper")
LEFT = ("construction", "mode")
MOST_STEPS = 8
"""Between the ticks of an axis; the labels of more would touch."""


def cells(row: Row) -> list[str]:
    """One row as text; a dash where there is no floor."""
    values = [getattr(row, field) for field, _ in COLUMNS]
    return ["–" if v is None else f"{v:,}" if isinstance(v, int) else str(v) for v in values]


def text_lines(rows: Sequence[Row]) -> list[str]:
    """An aligned table; the construction on the left, numbers on the right."""
    left = [i for i, (field, _) in enumerate(COLUMNS) if field in LEFT]
    return aligned([[title for _, title in COLUMNS], *map(cells, rows)], left)


def latex(rows: Sequence[Row]) -> str:
    """A ``tabular`` with rules of booktabs."""
    columns = "".join("l" if field in LEFT else "r" for field, _ in COLUMNS)
    body = [[_formula(cell) for cell in cells(row)] for row in rows]
    return tabular(columns, [_formula(title) for _, title in COLUMNS], [body])


def _formula(text: str) -> str:
    """(BB*)^2 and N' as LaTeX sets mathematics; other text as it is."""
    power = re.fullmatch(r"\(BB\*\)\^(\d+)", text)
    if power is not None:
        return Tex(f"$(BB^*)^{{{power[1]}}}$")
    return Tex(f"${text}$") if text in ("N'", "d'", "n", "d") else text


def chart(rows: Sequence[Row]) -> Chart:
    """Layers of every construction, compiled and by the paper, a panel a size."""
    sizes = list(dict.fromkeys((row.n, row.d) for row in rows))
    points = [
        {
            "construction": f"{row.construction}{'' if row.mode == 'causal' else ', circular'}",
            "size": f"n = {row.n}, d = {row.d}",
            "who": who,
            "layers": row.layers if who == "compiled" else row.paper,
        }
        for row in rows
        for who in SERIES
    ]
    order = list(dict.fromkeys(str(point["construction"]) for point in points))
    y = alt.Y("construction:N", sort=order, title=None)
    ticks = powers_of_two(max(max(row.layers, row.paper) for row in rows))
    scale = alt.Scale(type="log", base=2, domain=[ticks[0], ticks[-1]], nice=False)
    x = alt.X("layers:Q", title="layers", scale=scale, axis=alt.Axis(values=ticks))
    legend = alt.Legend(title=None, columnPadding=24)
    colour = alt.Color("who:N", scale=alt.Scale(domain=list(SERIES)), legend=legend)
    base = alt.Chart().encode(y=y)
    spans = base.mark_rule(opacity=0.4).encode(x="min(layers):Q", x2="max(layers):Q")
    marks = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=x, color=colour, shape=alt.Shape("who:N", scale=alt.Scale(domain=list(SERIES)))
    )
    panels = [f"n = {n}, d = {d}" for n, d in sizes]
    layered = alt.layer(spans, marks).properties(width=260, height=alt.Step(20))
    drawn = layered.facet(
        facet=alt.Facet("size:N", sort=panels, title=None),
        columns=3,
        data=alt.NamedData(name=SOURCE),
    )
    spec: dict[str, Any] = drawn.to_dict(validate=False)
    spec.pop("config", None)
    caption = "Layers as compiled, and as many as the paper states, on a logarithmic axis."
    return Chart("bounds", "Layers, compiled and in the paper", caption, spec, points)


def powers_of_two(largest: int) -> list[int]:
    """Ticks from 1 to what holds ``largest``, each the same factor after the one before."""
    top = max(1, (largest - 1).bit_length())
    step = -(-top // MOST_STEPS)
    return [1 << (step * i) for i in range(-(-top // step) + 1)]
