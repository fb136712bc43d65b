"""What recall, resume and tune share: train a plan and say how it went."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console

if TYPE_CHECKING:
    from bestiary.runs.experiment import Outcome, Plan


def train(plan: Plan, force: bool = False) -> Outcome:
    """Train the plan with progress on stderr; KeyboardInterrupt says how to go on."""
    from bestiary.runs.experiment import run_plan
    from bestiary.runs.progress import shown

    console = Console(stderr=True)
    for name in plan.untuned:
        rate = plan.experiment.training.learning_rate
        typer.echo(
            f"note: {plan.experiment.tuning} has no rate for {name}, which trains at "
            f"training.learning_rate = {rate:g}; `bestiary tune` finds one",
            err=True,
        )
    done = len(plan.chosen) - len(plan.unfinished)
    if done:
        typer.echo(f"{done} of {len(plan.chosen)} runs are done already", err=True)
    try:
        with shown(plan, console) as notify:
            return run_plan(plan, notify, force)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"interrupted; what was trained is kept, and `bestiary resume {plan.folder}` goes on"
        ) from None


def conclude(plan: Plan, outcome: Outcome, report: bool, as_json: bool) -> int:
    """Print the table, write the page, name the runs without a result; the exit code."""
    if report:
        from bestiary.report import summary_table, write_report

        paths = write_report(plan.folder)
        if not as_json:
            Console().print(summary_table(plan.folder))
            typer.echo(f"report: {getattr(paths, 'html', plan.folder / 'report.html')}")
    if as_json:
        typer.echo(json.dumps(run_rows(plan.folder), indent=2))
    elif not report:
        counts = ", ".join(f"{count} {status}" for status, count in outcome.counts.items())
        typer.echo(f"{counts}: {plan.folder}")
    for run_id, reason in outcome.failed.items():
        typer.echo(f"{run_id} has no result: {reason}", err=True)
    return 0 if outcome.ok else 1


def run_rows(folder: Path) -> list[dict[str, object]]:
    """The runs of a folder as plain rows, numbers that are not finite as null."""
    from bestiary.runs.store import COLUMNS, collect

    return json.loads(collect(folder).select(*COLUMNS).fill_nan(None).write_json())
