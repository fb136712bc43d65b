"""The heat maps of all layers as one SVG, for papers."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from bestiary.errors import UserError
from bestiary.report.charts.style import BACKGROUND, COLOURS, FAINT, FONT, GRID, INK
from bestiary.report.explain.page import largest, nothing, question_sentence
from bestiary.report.explain.shown import Item, shown_items
from bestiary.report.explain.shown import lit as lit_values
from bestiary.report.explain.step import Sheet, Step
from bestiary.runs.explained import Query

MOST_STEPS, MOST_COLUMNS = 12, 64
"""More are not drawn unless they are named: a page of a paper holds no more."""
LAST_STEPS, LIT_STEPS = 3, 4
"""Of those, where the answer appears and where the match of the question lights up."""
NAMES, LINE, GAP, EDGE = 132, 15, 18, 14
CAPTION, BELOW = 16, 14
LEAST = 460
"""As wide as the legend, where a single narrow map stands beside the names."""
CELLS = ((20, 17), (36, 12), (MOST_COLUMNS, 9))
"""Up to so many columns, so wide a cell."""
UPRIGHT = 15
"""Texts over narrower columns stand upright, and over those with long numbers."""
INK_, FAINT_, GROUND = INK["light"], FAINT["light"], BACKGROUND["light"]
ABOVE_ZERO, BELOW_ZERO = COLOURS["light"][0], COLOURS["light"][1]
DASHES = {"asks": "none", "key": "5 3", "value": "1.5 2.5"}
SIDES = ("gate side", "convolution side", "product")


@dataclass(frozen=True)
class Frame:
    """What is drawn of every step: columns by their place among the rows, the question framed.

    maps: heat maps beside each other, 3 where steps have two sides, else 1.
    """

    columns: tuple[int, ...]
    rows: tuple[int, ...]
    tokens: tuple[int, ...]
    marks: tuple[str, ...]
    query: Query | None
    maps: int

    @property
    def inner(self) -> int:
        """Width between the edges: of names and maps, and of the legend below them."""
        return max(LEAST, NAMES + self.maps * self.width + (self.maps - 1) * GAP)

    @property
    def cell(self) -> int:
        """Width of a column."""
        return next(cell for most, cell in CELLS if len(self.columns) <= most)

    @property
    def upright(self) -> bool:
        """Whether the heads of columns are turned."""
        longest = max(len(text) for column in self.columns for text in self.heads(column))
        return self.cell < UPRIGHT or longest > 2

    @property
    def head(self) -> int:
        """Height of the heads."""
        return 48 if self.upright else 30

    @property
    def width(self) -> int:
        """Of one heat map."""
        return self.cell * len(self.columns)

    def heads(self, column: int) -> tuple[str, str]:
        """Mark and token over a column, or the number of its row."""
        row = self.rows[column]
        if row < len(self.tokens):
            return self.marks[row], str(self.tokens[row])
        return "", str(row)

    def framed(self) -> Iterator[tuple[str, int]]:
        """How columns are framed, and their places."""
        if self.query is not None:
            named = (("key", self.query.key), ("value", self.query.value), ("asks", self.query.row))
            for kind, row in named:
                if row in self.rows and self.rows.index(row) in self.columns:
                    yield kind, self.columns.index(self.rows.index(row))


def explain_picture(sheet: Sheet, query: int = 0, layers: Sequence[int] | None = None) -> Markup:
    """The steps of a sheet as one SVG in the light theme.

    query: the question that is framed. layers: which, 0 the input; ``MOST_STEPS`` unless given, the
    first, the last ones and those where the question's match lights up among them. ``UserError``
    for a layer that is not there.
    """
    steps = _chosen(sheet, query, layers)
    frame = _frame(sheet, query, 3 if any(step.gate is not None for step in steps) else 1)
    subject = sheet.subject
    parts = [_text(EDGE, EDGE + 12, subject.name, INK_, 15, bold=True)]
    told = subject.about
    if frame.query is not None:
        told += f" {question_sentence(frame.query, subject.tokens[frame.query.row])}"
    written, y = _lines(f"{told} {sheet.caution}", EDGE + 20, frame, FAINT_)
    parts += written
    y += 8
    for step in steps:
        drawn, y = _block(step, frame, y)
        parts += drawn
    width = 2 * EDGE + frame.inner
    written, y = _lines(_legend(sheet, steps, frame), y - 6, frame, FAINT_)
    parts += written
    return Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" '
        'role="img" aria-label="{label}" font-family="{font}">'
        '<rect width="{w}" height="{h}" fill="{ground}"/>{parts}</svg>'
    ).format(
        w=width,
        h=y + EDGE,
        label=f"{subject.name}, layer by layer",
        font=FONT,
        ground=GROUND,
        parts=Markup("").join(parts),
    )


def _legend(sheet: Sheet, steps: Sequence[Step], frame: Frame) -> str:
    words = []
    if frame.query is not None:
        framed = "Framed: the question (solid)"
        if frame.query.key is not None:
            framed += ", the same key above it (dashed), its value (dotted)"
        elif frame.query.by_place:
            framed += ", what it asks for (dotted)"
        words.append(f"{framed}.")
    if any(np.isnan(step.product).any() for step in steps):
        words.append(f"Grey: {nothing(sheet)}.")
    if len(steps) < len(sheet.steps):
        last = sheet.steps[-1].title
        words.append(f"{len(steps)} of {len(sheet.steps)} steps from input to {last}.")
    return " ".join(words)


def _lines(text: str, y: int, frame: Frame, colour: str) -> tuple[list[Markup], int]:
    """Small text broken into lines, and where the next begins."""
    lines = textwrap.wrap(text, frame.inner // 6)
    drawn = [_text(EDGE, y + 10 + 14 * i, line, colour, 10.5) for i, line in enumerate(lines)]
    return drawn, y + 14 * len(lines)


def _chosen(sheet: Sheet, query: int, layers: Sequence[int] | None) -> Sequence[Step]:
    if layers is None:
        return [sheet.steps[number] for number in _telling(sheet, query)]
    last = len(sheet.steps) - 1
    wrong = [number for number in layers if not 0 <= number <= last]
    if wrong:
        raise UserError(
            f"there is no layer {wrong[0]} to draw; 0, the input, to {last} can be drawn"
        )
    return [sheet.steps[number] for number in layers]


def _telling(sheet: Sheet, query: int) -> list[int]:
    """Which steps are drawn where there are too many for a picture, ascending."""
    count, subject = len(sheet.steps), sheet.subject
    if count <= MOST_STEPS:
        return list(range(count))
    found = {0, *range(count - LAST_STEPS, count)}
    if subject.queries:
        asked = subject.queries[query]
        lit = [i for i in range(count) if lit_values(sheet.steps[i], asked, sheet.rows)]
        found |= set(lit[:LIT_STEPS])
    while len(found) < MOST_STEPS:
        # The middle of the widest gap, so that the rest is spread evenly.
        places = sorted(found)
        before, after = max(pairwise(places), key=lambda pair: pair[1] - pair[0])
        found.add((before + after) // 2)
    return sorted(found)


def _frame(sheet: Sheet, query: int, maps: int) -> Frame:
    subject = sheet.subject
    asked = subject.queries[query] if subject.queries else None
    columns = list(range(len(sheet.rows)))
    if len(columns) > MOST_COLUMNS:
        wanted = [] if asked is None else [asked.key, asked.value, asked.row]
        first = [sheet.rows.index(row) for row in wanted if row in sheet.rows]
        columns = sorted(list(dict.fromkeys([*first, *columns]))[:MOST_COLUMNS])
    return Frame(tuple(columns), sheet.rows, subject.tokens, subject.marks, asked, maps)


def _block(step: Step, frame: Frame, y: int) -> tuple[list[Markup], int]:
    """One step, and where the next begins."""
    parts = [_text(EDGE, y + 12, step.title.capitalize(), INK_, 13, bold=True)]
    y += 20
    written, y = _lines(step.sentence, y - 1, frame, INK_)
    parts += written
    y += 5
    items = shown_items(step, frame.query)
    top = y + CAPTION + frame.head
    for number, item in enumerate(items):
        middle = top + number * LINE + LINE - 4
        name = item.name if len(item.name) < 24 else f"{item.name[:22]}…"
        parts.append(_text(EDGE + NAMES - 6, middle, name, INK_, 10, bold=item.match, anchor="end"))
    scale = largest(step)
    sides = [step.product] if step.gate is None else [step.gate, step.convolution, step.product]
    for number, (array, name) in enumerate(zip(sides, SIDES, strict=False)):
        assert array is not None
        x = EDGE + NAMES + number * (frame.width + GAP)
        parts.append(_text(x, y + 11, name if len(sides) == 3 else "value", INK_, 10.5, bold=True))
        parts += _heads(frame, x, y + CAPTION)
        parts += _map(items, array, frame, x, top, scale)
    bottom = top + LINE * len(items)
    end = EDGE + NAMES + frame.width * len(sides) + GAP * (len(sides) - 1)
    parts.append(_text(end, bottom + 11, _range(scale), FAINT_, 9, anchor="end"))
    return parts, bottom + BELOW + 12


def _range(scale: float) -> str:
    digits = f"{scale:.3g}"
    return f"red −{digits} · white 0 · blue {digits}"


def _heads(frame: Frame, x: int, y: int) -> Iterator[Markup]:
    framed = {place for _, place in frame.framed()}
    for place, column in enumerate(frame.columns):
        mark, token = frame.heads(column)
        middle = x + place * frame.cell + frame.cell / 2 - 0.5
        style: dict[str, Any] = {"bold": place in framed, "anchor": "middle"}
        colour = INK_ if place in framed else FAINT_
        if frame.upright:
            size = min(9.0, frame.cell - 1)
            style |= {"anchor": "start", "turned": True}
            yield _text(middle + size / 3, y + frame.head - 4, token, colour, size, **style)
            yield _text(middle + size / 3, y + 18, mark, colour, size, **style)
        else:
            yield _text(middle, y + 10, mark, colour, 8.5, **style)
            yield _text(middle, y + 24, token, colour, 9, **style)


def _map(
    items: Sequence[Item],
    array: NDArray[np.float64],
    frame: Frame,
    x: int,
    top: int,
    scale: float,
) -> Iterator[Markup]:
    rect = Markup('<rect x="{}" y="{}" width="{}" height="{}" {}/>')
    for number, item in enumerate(items):
        values = item.values(array)[list(frame.columns)]
        for place, value in enumerate(values.tolist()):
            fill = Markup('fill="{}" stroke="{}" stroke-width=".6"').format(
                GRID["light"] if np.isnan(value) else shade(value, scale), GRID["light"]
            )
            yield rect.format(
                x + place * frame.cell, top + number * LINE, frame.cell - 1, LINE - 1, fill
            )
    for kind, place in frame.framed():
        line = Markup('fill="none" stroke="{}" stroke-width="1.4" stroke-dasharray="{}"').format(
            INK_, DASHES[kind]
        )
        height = frame.head + LINE * len(items)
        yield rect.format(x + place * frame.cell - 0.5, top - frame.head, frame.cell, height, line)
        for number, item in enumerate(items):
            if kind == "asks" and item.match:
                box = Markup('fill="none" stroke="{}" stroke-width="2.6"').format(INK_)
                yield rect.format(
                    x + place * frame.cell - 0.5, top + number * LINE - 0.5, frame.cell, LINE, box
                )


def shade(value: float, scale: float) -> str:
    """The colour of a number: white is 0, blue above it, red below."""
    part = min(1.0, abs(value) / scale) ** 0.75
    to = BELOW_ZERO if value < 0 else ABOVE_ZERO
    ends = [(int(GROUND[i : i + 2], 16), int(to[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in ends)


def _text(
    x: float,
    y: float,
    text: str,
    colour: str,
    size: float,
    *,
    bold: bool = False,
    anchor: str = "start",
    turned: bool = False,
) -> Markup:
    place = Markup('transform="translate({} {}) rotate(-90)"' if turned else 'x="{}" y="{}"')
    weight = Markup(' font-weight="600"') if bold else Markup("")
    return Markup('<text {} fill="{}" font-size="{}" text-anchor="{}"{}>{}</text>').format(
        place.format(x, y), colour, size, anchor, weight, text
    )
