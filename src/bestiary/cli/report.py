"""`bestiary report`: make the table, the pictures and the page again from a folder of runs."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated

import typer

from bestiary.cli.console import Terminal

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The --out of an experiment.")]
Open = Annotated[bool, typer.Option("--open", help="Show the page in the browser.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print table, verdict and paths as JSON.")]


def report(folder: Folder, show: Open = False, as_json: AsJson = False) -> int:
    """Make table, plots and page again from the runs in FOLDER; nothing is trained.

    Example: bestiary report results/quick --open
    """
    from bestiary.report import load_study, summary, verdict, write_report
    from bestiary.report.table import table_frame

    study = load_study(folder)
    paths = write_report(study)
    if as_json:
        said = {
            "table": json.loads(table_frame(study.segments).fill_nan(None).write_json()),
            "verdict": [dataclasses.asdict(line) for line in verdict(study)],
            "paths": {
                **{name: str(getattr(paths, name)) for name in ("html", "csv", "tex", "parquet")},
                "plots": [str(path) for path in paths.plots],
            },
        }
        typer.echo(json.dumps(said, indent=2, ensure_ascii=False))
    else:
        console = Terminal()
        console.show(summary(study, console.text_width))
        typer.echo(f"\nreport: {paths.html}")
    if show:
        typer.launch(paths.html.resolve().as_uri())
    return 0
