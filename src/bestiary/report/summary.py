"""What a terminal shows at the end: the table, and what happened in sentences."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bestiary.report.study import Study, load_study
from bestiary.report.table import rich_table
from bestiary.report.verdict import Line, verdict

STYLES = {"headline": "bold", "good": "green", "bad": "red", "caution": "yellow"}
MARKS = {"headline": "", "good": "✓ ", "bad": "✗ ", "caution": "! "}


def summary_table(folder: Path | str | Study, width: int | None = None) -> Table:
    """One row a mixer, width and test segment, for a terminal of ``width`` columns (None: this).

    Raises ``UserError`` where there are no runs.
    """
    study = folder if isinstance(folder, Study) else load_study(folder)
    return rich_table(study.segments, study.name, width or Console().width)


def summary(folder: Path | str | Study, width: int | None = None) -> RenderableType:
    """The table and the verdict under it."""
    study = folder if isinstance(folder, Study) else load_study(folder)
    lines = [Padding(sentence(line), (0, 0, 0, 2)) for line in verdict(study)]
    table = summary_table(study, width)
    # A caption is broken at the width of the table, which may be a few words.
    notes, table.caption = Text(str(table.caption), style="table.caption"), None
    return Group(table, notes, Text(), *lines)


def sentence(line: Line) -> Text:
    """A line of the verdict; its mark says in black and white what its colour says."""
    if line.kind == "headline":
        return Text(line.text, style="bold")
    return Text.assemble((MARKS[line.kind], STYLES[line.kind]), line.text)
