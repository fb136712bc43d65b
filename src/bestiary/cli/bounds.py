"""`bestiary bounds`: how many layers constructions take, measured, beside the paper's."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from bestiary.cli.table_form import check_one_form, check_plot
from bestiary.errors import UserError


def bounds(
    sizes: Annotated[
        list[str] | None,
        typer.Option("--size", metavar="N,D", help="Rows and channels; repeatable."),
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Write the plot, .png or .svg.")] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    as_latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compile butterflies, kaleidoscopes and Hyenas, and count their layers.

    `at most` is what each is held to, `paper` what arXiv 2312.04927 states, `floor` ⌈log2 degree⌉
    (none for linear maps).

    Example: bestiary bounds --size 16,4 --size 64,8
    """
    check_one_form({"--csv": as_csv, "--latex": as_latex, "--json": as_json})
    check_plot(plot)
    asked = dict.fromkeys(map(_size, sizes or ()))
    # Mistakes are told before these, which load torch.
    from bestiary.compile.bounds_table import COLUMNS, SIZES, table
    from bestiary.report.bounds_report import chart, latex, text_lines
    from bestiary.report.write import write_plot

    with Console(stderr=True).status("compiling") as status:
        rows = table(list(asked or SIZES), watch=status.update)
    if plot is not None:
        write_plot(plot, chart(rows))
    if as_json:
        typer.echo(json.dumps([asdict(row) for row in rows], indent=2))
    elif as_csv:
        out = io.StringIO()
        writer = csv.DictWriter(out, [field for field, _ in COLUMNS], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)
        typer.echo(out.getvalue(), nl=False)
    elif as_latex:
        typer.echo(latex(rows), nl=False)
    else:
        for line in text_lines(rows):
            typer.echo(line)
        if plot is not None:
            typer.echo(f"written: {plot}")


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"\s*(\d+)\s*,\s*(\d+)\s*", text)
    if found is None:
        raise UserError(f"--size is {text!r}; rows and channels such as 16,4 are needed")
    return int(found[1]), int(found[2])
