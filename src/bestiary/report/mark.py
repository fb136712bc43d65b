"""The mark of a mixer beside its name on a page, as the charts draw it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from bestiary.report.charts.style import COLOURS, SHAPES
from bestiary.report.mixer_kinds import is_compiled

# Outlines in a square from -1 to 1, by Vega's names.
OUTLINES: Mapping[str, str] = {
    "circle": "M-.9 0a.9.9 0 1 0 1.8 0a.9.9 0 1 0-1.8 0z",
    "square": "M-.8-.8h1.6v1.6h-1.6z",
    "triangle-up": "M0-.9L1 .85H-1z",
    "diamond": "M0-1L.8 0 0 1-.8 0z",
    "cross": "M-.35-1h.7v.65h.65v.7h-.65v.65h-.7v-.65h-.65v-.7h.65z",
    "triangle-down": "M0 .9L1-.85H-1z",
    "triangle-right": "M.9 0L-.85 1V-1z",
    "triangle-left": "M-.9 0L.85 1V-1z",
}
STAR = (
    "M0,-0.85L0.25,-0.26L0.9,-0.19L0.41,0.23L0.56,0.86"
    "L0,0.53L-0.56,0.86L-0.41,0.23L-0.9,-0.19L-0.25,-0.26Z"
)
"""The outline of compiled models."""


@dataclass(frozen=True)
class Look:
    """A mixer's mark beside its name, as the charts draw it."""

    label: str
    outline: str
    light: str
    dark: str


def look(mixers: Sequence[str], label: str) -> Look:
    """The colours and the shape that the charts give a mixer."""
    number = list(mixers).index(label)
    return Look(
        label,
        STAR if is_compiled(label) else OUTLINES[SHAPES[number % len(SHAPES)]],
        COLOURS["light"][number % len(COLOURS["light"])],
        COLOURS["dark"][number % len(COLOURS["dark"])],
    )


def swatch(given: Look) -> Markup:
    """A mixer's mark as an inline picture."""
    return Markup(
        '<svg class="swatch" viewBox="-1.1 -1.1 2.2 2.2" aria-hidden="true" '
        'style="--on-light:{};--on-dark:{}"><path d="{}"/></svg>'
    ).format(given.light, given.dark, given.outline)
