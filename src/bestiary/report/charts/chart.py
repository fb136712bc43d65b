"""A chart as data: a Vega-Lite specification without rows, and its rows beside it.

The picture files and the page draw the same chart. A chart has one named source, ``rows``, whose
``kind`` tells the layers apart, so that every layer falls into panels together and the page can
put filtered rows in its place. The page filters by ``mixer``, ``d_model``, ``length``, ``pairs``,
``point`` (for the statuses of its runs) and ``status``; a row without one of them passes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from bestiary.report.charts.style import Theme, config
from bestiary.report.points import Point

SOURCE = "rows"
PANEL_WIDTH = 300
PANEL_HEIGHT = 230
MOST_COLUMNS = 3


@dataclass(frozen=True)
class Chart:
    """What to draw. name: of its files. caption: what is shown, and how to read it."""

    name: str
    title: str
    caption: str
    spec: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]

    def vega_lite(self, theme: Theme = "light") -> dict[str, Any]:
        """The whole specification, rows and looks included, for a picture file."""
        return {
            **self.spec,
            "title": {"text": self.title, "offset": 12},
            "padding": 16,
            "config": config(theme),
            "datasets": {SOURCE: list(self.rows)},
        }


NOTHING_TRAINED = "nothing was trained"
"""Why a chart of widths, rates or steps is left out where all weights were set by hand."""


@dataclass(frozen=True)
class LeftOut:
    """A chart that these runs cannot fill, and why."""

    name: str
    title: str
    reason: str


def width_fields(point: Point) -> dict[str, int | None]:
    """``width`` to show, and ``d_model`` to filter by: a compiled model is shown at every width."""
    return {"width": point.d_model, "d_model": None if point.compiled else point.d_model}


def rows_of(kind: str) -> alt.Chart:
    """A chart over the rows of one kind."""
    return alt.Chart().transform_filter(alt.datum.kind == kind)


def shown(field: str, title: str, number: str = ".4f") -> alt.Tooltip:
    """A number in a tooltip."""
    return alt.Tooltip(f"{field}:Q", title=title, format=number)


def faded(opacity: float = 1.0) -> Any:
    """Opacity for mixers that are highlighted, and next to none for others.

    The page sets ``highlighted``, empty for all, by clicks on a legend: Vega-Lite's own binding
    to legends does not reach into panels.
    """
    shown = "!length(highlighted) || indexof(highlighted, datum.mixer) >= 0"
    return alt.condition(shown, alt.value(opacity), alt.value(0.12))


def test_accuracy() -> alt.Y:
    """The vertical axis of charts of test accuracy, all of 0 to 1."""
    return alt.Y("accuracy:Q", scale=alt.Scale(domain=[0, 1]), title="test accuracy")


def interval_bars(means: alt.Chart, x: alt.X, color: Any, opacity: float) -> alt.Chart:
    """A bar from ``low`` to ``high`` of each row at its ``x``."""
    return means.mark_rule(strokeWidth=2.5).encode(
        x=x, y="low:Q", y2="high:Q", color=color, opacity=faded(opacity)
    )


def in_panels(
    layers: Sequence[alt.Chart],
    panels: Sequence[str],
    *,
    left: int,
    height: int | alt.Step = PANEL_HEIGHT,
    shared_y: bool = True,
) -> dict[str, Any]:
    """Lay ``layers`` out in one panel for each value of the field ``panel``, in that order.

    left: pixels that the vertical axis takes; the page needs it to fit panels to its width.
    """
    base = alt.layer(*layers).properties(width=PANEL_WIDTH, height=height)
    header = alt.Header(title=None, labels=len(panels) > 1 or bool(panels and panels[0]))
    chart = base.facet(
        facet=alt.Facet("panel:N", sort=list(panels), header=header),
        columns=2 if len(panels) == 4 else min(len(panels), MOST_COLUMNS),
        data=alt.NamedData(name=SOURCE),
        spacing=24,
    )
    # A shared axis would stand under the last row alone, far from panels of a row that is full.
    chart = chart.resolve_axis(x="independent")
    if not shared_y:
        chart = chart.resolve_scale(y="independent")
    chart = chart.properties(usermeta={"left": left, "panels": len(panels)})
    # Altair checks each part when it is made; once more for the whole costs most of the time.
    spec: dict[str, Any] = chart.to_dict(validate=False)
    spec.pop("config", None)
    spec["params"] = [{"name": "highlighted", "value": []}]
    return spec
