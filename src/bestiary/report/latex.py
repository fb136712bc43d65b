"""The table as LaTeX, for a paper that has ``\\usepackage{booktabs}``."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from bestiary.report.segments import SegmentResult
from bestiary.report.table import COLUMNS, cells, columns_of, guessing_line, reading_line

ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "–": "--",
}


class Tex(str):
    """LaTeX that is set as it is, such as a formula."""


def escaped(text: str) -> str:
    """Text that LaTeX sets as it stands; line breaks become spaces."""
    return "".join(ESCAPES.get(letter, letter) for letter in " ".join(text.split()))


def tabular(columns: str, heads: Sequence[str], groups: Iterable[Iterable[Sequence[str]]]) -> str:
    """A ``tabular`` with rules of booktabs, a rule before each group of rows.

    columns: l or r for each. heads and cells are set as they stand, ``Tex`` as the LaTeX it is.
    """
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _line(heads)]
    for group in groups:
        lines += [r"\midrule", *map(_line, group)]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _line(cells: Sequence[str]) -> str:
    return " & ".join(c if isinstance(c, Tex) else escaped(c) for c in cells) + r" \\"


def latex_table(segments: Sequence[SegmentResult]) -> str:
    """The table of a report, a rule between mixers, and notes as comments."""
    notes = [reading_line(segments), guessing_line(segments)]
    by_mixer = itertools.groupby(segments, key=lambda result: result.point.mixer)
    columns = columns_of(segments)
    kept = [
        number for number, column in enumerate(COLUMNS) if column.key in {c.key for c in columns}
    ]

    def row(result: SegmentResult) -> list[str]:
        texts = cells(result)
        return [texts[number] for number in kept]

    body = tabular(
        "".join("r" if column.numeric else "l" for column in columns),
        [column.title for column in columns],
        (map(row, results) for _, results in by_mixer),
    )
    return "".join(f"% {' '.join(note.split())}\n" for note in notes) + body
