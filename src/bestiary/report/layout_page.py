"""A compiled stack as a page of its own: sizes, the picture, and every value with its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

import bestiary
from bestiary.compile.layout import ROLES, Layout, Place
from bestiary.errors import counted
from bestiary.report.layout_picture import COLUMN, MOST_LAYERS, SAID, described, picture
from bestiary.report.self_contained import asset, inline, source_hash

MOST_ROWS = 20_000
"""Rows of the table of places; a page of more is slow to open."""


def layout_page(layout: Layout, facts: Sequence[tuple[str, str]] = (), title: str = "") -> str:
    """The page as text; it needs no network.

    facts: what else to say, each a name and a value. title: the name of the layout unless given.
    """
    drawn = picture(layout, None)
    script = asset("layout.js")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    template = environment.from_string(asset("layout.html"))
    shown, rest = _tables(layout)
    used = {place.role for layer in layout.layers for place in layer}
    return template.render(
        name=title or layout.name,
        column=COLUMN,
        drawn=range(min(len(layout.layers), MOST_LAYERS + 1)),
        lead=_lead(layout),
        facts=list(facts),
        css=inline(asset("page.css"), "style"),
        script=inline(script, "script"),
        script_sources=Markup(source_hash(script)),
        svg=drawn.svg,
        left_out=drawn.left_out,
        key=[(role, SAID[role], _sample(role)) for role in ROLES if role in used],
        layers=shown,
        rest=rest,
        version=bestiary.__version__,
    )


def _lead(layout: Layout) -> str:
    layers = len(layout.layers) - 1
    return (
        f"{counted(layers, 'BaseConv layer')} of {counted(layout.width, 'channel')} and "
        f"{counted(layout.rows, 'row')}. "
        "Row t of a value that comes so many rows late lies so many rows further down."
    )


def _tables(layout: Layout) -> tuple[list[dict[str, Any]], str]:
    shown: list[dict[str, Any]] = []
    rows = 0
    for number, places in enumerate(layout.layers):
        rows += len(places)
        if rows > MOST_ROWS:
            return shown, f"Layers {number} to {len(layout.layers) - 1} are not listed."
        roles = Counter(place.role for place in places)
        shown.append(
            {
                "title": f"layer {number}" if number else "input",
                "summary": ", ".join(f"{roles[role]} {role}" for role in ROLES if roles[role]),
                "places": [_row(place) for place in places],
            }
        )
    return shown, ""


def _row(place: Place) -> dict[str, Any]:
    how = described(place)
    return {
        "channel": place.channel,
        "name": place.name,
        "how": how.partition(": ")[2].rpartition(" (")[0] or how.partition(": ")[2],
        "delay": place.delay,
    }


def _sample(role: str) -> Markup:
    return Markup(
        '<svg class="layout" width="30" height="16" aria-hidden="true"><g class="box {}">'
        '<rect x="1" y="1" width="28" height="14" rx="3"/></g></svg>'
    ).format(role)
