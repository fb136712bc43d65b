"""`bestiary compare`: runs side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from bestiary.cli.console import Terminal
from bestiary.cli.recall import AsJson
from bestiary.cli.show import Within


def compare(
    runs: Annotated[list[str], typer.Argument(metavar="RUN RUN…", help="Folders or ids of runs.")],
    within: Within = Path("results"),
    as_json: AsJson = False,
) -> int:
    """Show where the configs of runs differ, and their metrics side by side.

    Example: bestiary compare attention-0123456789ab hyena-0123456789ab --in results/quick
    """
    from bestiary.runs.comparison import compare_runs
    from bestiary.runs.store import find_run

    comparison = compare_runs([find_run(run, within) for run in runs])
    if as_json:
        typer.echo(json.dumps(comparison.plain(), indent=2))
        return 0
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("", no_wrap=True)
    for run_id in comparison.run_ids:
        table.add_column(run_id, justify="right", overflow="fold")
    for values in (comparison.differences, comparison.metrics):
        for name, row in values.items():
            table.add_row(name, *(_shown(value) for value in row))
        table.add_section()
    Terminal().show(table)
    if not comparison.differences:
        typer.echo("the configs are the same")
    return 0


def _shown(value: object) -> str:
    if value is None:
        return "—"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
