"""`bestiary runs`: list the runs of a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

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
    """List runs with their status and accuracy.

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
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 1, 0, 0))
    for name in ("run", "status", "seed", "width", "rate", "accuracy", "validation", "time"):
        right = name in ("seed", "width", "rate", "accuracy", "validation", "time")
        table.add_column(name, justify="right" if right else "left", no_wrap=not right)
    for row in rows:
        table.add_row(
            str(row["run_id"]),
            str(row["status"]),
            str(row["seed"]),
            str(row["d_model"]),
            _number(row["learning_rate"], "g"),
            _number(row["accuracy"], ".3f"),
            _number(row["validation_accuracy"], ".3f"),
            f"{_number(row['seconds'], '.0f')} s",
        )
    Terminal().show(table)
    # In a column of their own, reasons would squeeze the table on a narrow terminal.
    for row in rows:
        if row["status"] != "finished" and row["reason"]:
            typer.echo(f"{row['run_id']} {row['status']}: {row['reason']}")
    return 0


def _number(value: object, form: str) -> str:
    return format(value, form) if isinstance(value, (int, float)) else "—"
