"""How charts look: colours, shapes and dashes of mixers, and the light and dark configurations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import altair as alt

from bestiary.report.mixer_kinds import is_compiled

Theme = Literal["light", "dark"]

# Found by search: every colour has a contrast of at least 3:1 on its background and stands apart
# from the others under protanopia, deuteranopia and tritanopia (the tests measure both).
COLOURS: dict[Theme, tuple[str, ...]] = {
    "light": ("#1F6BE0", "#F04A1C", "#1FA475", "#C95BB5", "#4E2F02", "#420779", "#1A3A4A"),
    "dark": ("#6FB8F5", "#E0532A", "#35A06F", "#E86FB5", "#FFC850", "#8F45F5", "#F2F5F7"),
}
BACKGROUND: dict[Theme, str] = {"light": "#FFFFFF", "dark": "#15171C"}
INK: dict[Theme, str] = {"light": "#1B1F24", "dark": "#E8EAED"}
FAINT: dict[Theme, str] = {"light": "#59636E", "dark": "#A3ABB5"}
GRID: dict[Theme, str] = {"light": "#E4E7EB", "dark": "#2B3038"}

# As many shapes as is not a multiple of the colours, so that pairs of both repeat late.
SHAPES = (
    "circle", "square", "triangle-up", "diamond",
    "cross", "triangle-down", "triangle-right", "triangle-left",
)  # fmt: skip
# Of compiled models alone: a five-pointed star, as large to the eye as the shapes above.
STAR = (
    "M0,-1.15L0.33,-0.36L1.19,-0.29L0.53,0.27L0.73,1.11"
    "L0,0.66L-0.73,1.11L-0.53,0.27L-1.19,-0.29L-0.33,-0.36Z"
)
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 3], [4, 2, 1, 2])
FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'


def config(theme: Theme) -> dict[str, Any]:
    """The Vega-Lite configuration of one theme."""
    ink, faint, grid = INK[theme], FAINT[theme], GRID[theme]
    return {
        "background": BACKGROUND[theme],
        "font": FONT,
        "view": {"stroke": None},
        "axis": {
            "labelColor": faint,
            "titleColor": ink,
            "gridColor": grid,
            "domainColor": faint,
            "tickColor": faint,
            "labelFontSize": 11,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "titlePadding": 8,
        },
        "axisX": {"grid": False},
        "axisY": {"domain": False, "ticks": False},
        "header": {"labelColor": ink, "labelFontSize": 12, "labelFontWeight": "bold"},
        "legend": {
            "labelColor": ink,
            "titleColor": faint,
            "labelFontSize": 12,
            "titleFontWeight": "normal",
            "orient": "top",
            "symbolStrokeWidth": 2,
            # Else a legend takes the paleness of the first layer, an interval's.
            "symbolOpacity": 1,
            "labelLimit": 260,
        },
        "title": {"color": ink, "subtitleColor": faint, "anchor": "start", "fontSize": 15},
        "range": {"category": list(COLOURS[theme]), "symbol": list(SHAPES)},
        "rule": {"color": faint},
        "text": {"color": faint, "fontSize": 11},
    }


def line_legend(**options: Any) -> alt.Legend:
    """A legend of lines, as long as it takes to tell dashes apart.

    A symbol of that size would be as high too, so the line reaches out of a small one.
    """
    # A path is scaled by half the root of the size, here 5: 36 pixels around the middle of 10.
    line = "M-3.6,0L3.6,0"
    return alt.Legend(
        title=None, symbolType=line, symbolSize=100, symbolOffset=13, labelOffset=24, **options
    )


def mixer_channels(
    mixers: Sequence[str], *, dashed: bool = False, trained: bool = False
) -> dict[str, Any]:
    """Colour with shape, or with dashes for lines: never colour alone.

    ``mixers`` are all mixers of the study, so that one keeps its colour in every chart and
    whatever is filtered. trained: a chart of training, whose legend leaves compiled ones out.
    """
    domain = list(mixers)
    kept = [label for label in domain if not (trained and is_compiled(label))]
    listed: dict[str, Any] = {} if kept == domain else {"values": kept}
    # Few columns keep a legend within a phone's width; the page sets as many as fit.
    legend = line_legend(**listed) if dashed else alt.Legend(title=None, **listed)
    colour = alt.Color("mixer:N", scale=alt.Scale(domain=domain), legend=legend)
    if dashed:
        dashes = [DASHES[number % len(DASHES)] for number in range(len(domain))]
        scale = alt.Scale(domain=domain, range=dashes)
        return {
            "color": colour,
            "strokeDash": alt.StrokeDash("mixer:N", scale=scale, legend=legend),
        }
    shape = alt.Shape("mixer:N", scale=shape_scale(domain), legend=legend)
    return {"color": colour, "shape": shape}


def shape_of(mixers: Sequence[str], number: int) -> str:
    """The shape of a mixer among all: a star where it was compiled, else one of ``SHAPES``."""
    return STAR if is_compiled(mixers[number]) else SHAPES[number % len(SHAPES)]


def shape_scale(mixers: Sequence[str]) -> alt.Scale:
    """The shapes of all mixers of a study."""
    shapes = [shape_of(mixers, number) for number in range(len(mixers))]
    return alt.Scale(domain=list(mixers), range=shapes)
