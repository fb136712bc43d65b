"""`bestiary runs`: list the runs of a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from bestiary.cli.console import Terminal
from bestiary.cli.recall import AsJson


def runs(
    folder: Annotated[Path, typer.Argument(help="An experiment's folder, or one of several.")] = (
        Path("results")
    ),
    status: Annotated[
        str | None,
        typer.Option("--status", help="Only finished, diverged, failed, interrupted or running."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """List runs with their status and their accuracy on test and validation.

    Example: bestiary runs results/quick --status failed
    """
    from bestiary.cli.sweeping import run_rows
    from bestiary.runs.run_folder import check_status

    wanted = check_status(status)
    rows = [row for row in run_rows(folder) if wanted is None or row["status"] == wanted]
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return 0
    if not rows:
        typer.echo(f"no {status + ' ' if status else ''}runs in {folder}")
        return 0
    Terminal().show(_table(rows))
    # In a column of their own, reasons would squeeze the table on a narrow terminal.
    for row in rows:
        if row["status"] != "finished" and row["reason"]:
            typer.echo(f"{row['run_id']} {row['status']}: {row['reason']}")
    return 0


def _table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Heads are short, for a long name of a hybrid leaves few columns of eighty."""
    from bestiary.report.table import rate, seconds_text, share, whole

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 1, 0, 0))
    for name in ("run", "status", "seed", "width", "rate", "test", "valid", "time"):
        text = name in ("run", "status")
        table.add_column(name, justify="left" if text else "right", no_wrap=True)
    for row in rows:
        table.add_row(
            str(row["run_id"]),
            str(row["status"]),
            str(row["seed"]),
            whole(row["d_model"]),
            rate(row["learning_rate"]),
            share(row["accuracy"]),
            share(row["validation_accuracy"]),
            seconds_text(row["seconds"]),
        )
    return table
