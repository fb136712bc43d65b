"""The terminal that tables are printed on, or the file or pipe in its place."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.segment import Segment, Segments
from rich.style import Style
from rich.table import Table
from rich.text import Text

NARROWEST = 60
"""Columns below which lines are left to the terminal to wrap: a squeezed table says nothing."""
FOLDED = 12
"""Columns that a column which folds its text gets at least."""


class Terminal(Console):
    """A console whose lines end where their text does, and that leaves a closed pipe to `main`.

    Text is shown as it is: a mixer may be called ``[red]`` or ``:smile:``.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    @property
    def text_width(self) -> int:
        """Columns to lay text out in: those of the terminal, unless they are too few."""
        return max(self.width, NARROWEST)

    def show(self, renderable: RenderableType) -> None:
        """Print without trailing spaces; a table is never so narrow that its numbers are lost."""
        width = self.text_width
        if isinstance(renderable, Table):
            width = max(width, self._least_width(renderable))
        lines = self.render_lines(renderable, self.options.update(width=width), pad=False)
        ended = [part for line in lines for part in (*_trimmed(line), Segment.line())]
        self.print(Segments(ended), soft_wrap=True, end="")

    def tell(self, text: str | Text, indent: int = 2) -> None:
        """Print lines, broken between words where a terminal ends; files and pipes get them whole.

        indent: spaces before what a line goes on with. A word that is too long stays whole.
        """
        # Who sets COLUMNS says how wide what is printed may be, wherever it goes.
        breaks = self.is_terminal or bool(os.environ.get("COLUMNS"))
        for line in (Text(text) if isinstance(text, str) else text).split("\n"):
            told = _broken(line, self.text_width, " " * indent) if breaks else line
            self.print(told, soft_wrap=True)

    def on_broken_pipe(self) -> None:
        """Called while the error is handled, which Rich would make a failure of the command."""
        raise BrokenPipeError

    def _least_width(self, table: Table) -> int:
        """Columns in which no word of ``table`` is cut, beside those of columns that fold."""
        wide = self.options.update(width=10_000)
        _, right, _, left = table.padding
        total = 0
        for column in table.columns:
            cells = (column.header, *column.cells)
            longest = max(Measurement.get(self, wide, cell).minimum for cell in cells)
            total += min(longest, FOLDED) if column.overflow == "fold" else longest
            total += left + right
        return total


def _broken(text: Text, width: int, indent: str) -> Text:
    """Lines of ``text``, the styles of its words kept."""
    lines: list[Text] = []
    for word in text.split(" "):
        if lines and lines[-1].cell_len + 1 + word.cell_len <= width:
            lines[-1].append(" ").append_text(word)
        else:
            lines.append(Text(indent).append_text(word) if lines else word)
    return Text("\n").join(lines)


def _trimmed(line: Iterable[Segment]) -> list[Segment]:
    """A line without the spaces at its end that nobody would see."""
    parts = list(line)
    while parts and not _shows(parts[-1].style):
        text = parts[-1].text.rstrip(" ")
        if text:
            parts[-1] = parts[-1]._replace(text=text)
            break
        parts.pop()
    return parts


def _shows(style: Style | None) -> bool:
    """Whether a space in this style can be seen."""
    return style is not None and bool(style.bgcolor or style.underline or style.reverse)
