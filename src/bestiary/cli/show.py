"""`bestiary show`: all that is known of one run."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from bestiary.cli.console import Terminal
from bestiary.cli.recall import AsJson

if TYPE_CHECKING:
    import polars as pl

Within = Annotated[
    Path, typer.Option("--in", help="Where to look for a run that is given by its id.")
]


def show(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run's folder, or its id.")],
    within: Within = Path("results"),
    as_json: AsJson = False,
) -> int:
    """Show a run: config, status, sizes, metrics by slice, where it was trained.

    Example: bestiary show attention-0123456789ab --in results/quick
    """
    from bestiary.atomic import read_json
    from bestiary.runs import documents
    from bestiary.runs.store import collect_results, find_run

    folder = find_run(run, within)
    config = folder.config().model_dump(mode="python")
    status = dataclasses.asdict(folder.status())
    results = collect_results(folder.path).drop("run_id")
    environment = read_json(folder.path / "environment.json")
    if as_json:
        rows = json.loads(results.fill_nan(None).write_json())
        known = {"config": config, "status": status, "summary": folder.summary()}
        typer.echo(json.dumps({**known, "results": rows, "environment": environment}, indent=2))
        return 0
    typer.echo(f"{folder.path}\n")
    for title, data in (
        ("status", status),
        ("config", config),
        ("summary", folder.summary()),
        ("environment", environment or {}),
    ):
        typer.echo(f"{title}:")
        typer.echo("".join(f"  {line}\n" for line in documents.dump(data).splitlines()))
    for (split,), rows in results.group_by("split", maintain_order=True):
        typer.echo(f"{split}:")
        Terminal().show(_table(rows.drop("split")))
        typer.echo()
    return 0


def _table(results: pl.DataFrame) -> Table:
    """The slices of one split, the ends of a range of gaps in one column."""
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 1, 0, 0))
    names = [name for name in results.columns if name != "gap_high"]
    for name in names:
        heading = "gap" if name == "gap_low" else name.replace("_", " ")
        table.add_column(heading, justify="left" if name == "slice" else "right")
    for row in results.iter_rows(named=True):
        row["gap_low"] = _range(row["gap_low"], row["gap_high"])
        table.add_row(*(_shown(row[name]) for name in names))
    return table


def _range(low: int | None, high: int | None) -> str | None:
    return None if low is None else str(low) if low == high else f"{low}-{high}"


def _shown(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)
