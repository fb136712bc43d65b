"""The form in which a command gives a table: one on the terminal, and a plot beside it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bestiary.cli.written import check_written
from bestiary.errors import UserError

PLOTS = (".png", ".svg")


def check_one_form(asked: Mapping[str, bool]) -> None:
    """``UserError`` where more than one of the options of a form, such as ``--json``, was given."""
    chosen = [option for option, given in asked.items() if given]
    if len(chosen) > 1:
        raise UserError(f"{' and '.join(chosen)} were given; the table is printed in one form")


def check_plot(path: Path | None) -> None:
    """``UserError`` where a plot is to be written in no format or folder that there is."""
    check_written(path, PLOTS, "--plot")
