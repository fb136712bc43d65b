"""The table as LaTeX, for a paper that has ``\\usepackage{booktabs}``."""

from __future__ import annotations

from collections.abc import Sequence

from bestiary.report.segments import SegmentResult
from bestiary.report.table import COLUMNS, cells, guessing_line, reading_line

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


def escaped(text: str) -> str:
    """Text that LaTeX sets as it stands; line breaks become spaces."""
    return "".join(ESCAPES.get(letter, letter) for letter in " ".join(text.split()))


def latex_table(segments: Sequence[SegmentResult]) -> str:
    """A ``tabular`` with rules of booktabs, a rule between mixers, and notes as comments."""
    columns = "".join("r" if column.numeric else "l" for column in COLUMNS)
    lines = [
        f"% {' '.join(reading_line(segments).split())}",
        f"% {' '.join(guessing_line(segments).split())}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(escaped(column.title) for column in COLUMNS) + r" \\",
    ]
    mixer = None
    for result in segments:
        if result.point.mixer != mixer:
            lines.append(r"\midrule")
            mixer = result.point.mixer
        lines.append(" & ".join(escaped(cell) for cell in cells(result)) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"
