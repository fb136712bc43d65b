"""What recall, resume and tune share: train a plan and say how it went."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from bestiary.cli.console import Terminal
from bestiary.errors import counted
from bestiary.termination import exit_code

if TYPE_CHECKING:
    from bestiary.runs.events import Event, Notify
    from bestiary.runs.experiment import Outcome, Plan


def train(plan: Plan, force: bool = False) -> Outcome:
    """Train the plan with progress on stderr; one that is interrupted says how to go on."""
    from bestiary.runs.experiment import run_plan
    from bestiary.runs.progress import shown

    console = Terminal(stderr=True)
    done = len(plan.chosen) - len(plan.unfinished)
    if done:
        typer.echo(f"{done} of {len(plan.chosen)} runs are done already", err=True)
    try:
        with shown(plan, console) as notify:
            return run_plan(plan, _noting_untuned(plan, console, notify), force)
    except KeyboardInterrupt as stop:
        # Typer would turn the interrupt into an exit without a word.
        kept = f"what was trained is kept, and `{resume_command(plan)}` goes on"
        said = kept if plan.folder.exists() else "nothing was trained yet"
        typer.echo(f"bestiary: interrupted; {said}", err=True)
        raise typer.Exit(exit_code(stop)) from None


def _noting_untuned(plan: Plan, console: Terminal, notify: Notify) -> Notify:
    """``notify``, with a note before the first event for each model that has no tuned rate.

    Not sooner: a plan that is refused gets one sentence, which says why.
    """
    from bestiary.runs.preset import tuning_source

    rate = plan.experiment.training.learning_rate
    source = tuning_source(str(plan.experiment.tuning))
    notes = [
        f"note: {source} has no rate for {name}, which trains at "
        f"training.learning_rate = {rate:g}; `bestiary tune` finds one"
        for name in plan.untuned
    ]

    def listen(event: Event) -> None:
        while notes:
            console.print(notes.pop(0), soft_wrap=True, highlight=False, markup=False)
        notify(event)

    return listen


def conclude(plan: Plan, outcome: Outcome, report: bool, as_json: bool) -> int:
    """Print the table, write the page, name the runs without a result; the exit code."""
    if report:
        from bestiary.report import load_study, summary, write_report

        study = load_study(plan.folder)
        paths = write_report(study)
        if not as_json:
            console = Terminal()
            console.show(summary(study, console.text_width))
            typer.echo(f"\nreport: {paths.html}")
    if as_json:
        typer.echo(json.dumps(run_rows(plan.folder), indent=2))
    elif not report:
        counts = ", ".join(f"{count} {status}" for status, count in outcome.counts.items())
        typer.echo(f"{counts}: {plan.folder}")
    return say_failed(plan, outcome)


def conclude_empty(plan: Plan, shard: str, as_json: bool) -> int:
    """Say that a part has no runs, for there are fewer than parts; 0, since none is missing."""
    runs = counted(len(plan.runs), "run")
    typer.echo(f"--shard {shard} is empty: {runs} in all, fewer than parts", err=True)
    if as_json:
        rows = run_rows(plan.folder) if plan.folder.exists() else []
        typer.echo(json.dumps(rows, indent=2))
    return 0


def say_failed(plan: Plan, outcome: Outcome) -> int:
    """Say in one sentence which runs have no result; the exit code."""
    if not outcome.failed:
        return 0
    run_id, reason = next(iter(outcome.failed.items()))
    count = f"{len(outcome.failed)} of {len(plan.chosen)} runs"
    which = f"{run_id}: {reason}" if len(outcome.failed) == 1 else f"such as {run_id}: {reason}"
    typer.echo(
        f"bestiary: {count} gave no result, {which} (`{resume_command(plan)}` tries again)",
        err=True,
    )
    return 1


def resume_command(plan: Plan) -> str:
    """What a person types to go on, folders with spaces in quotes."""
    return shlex.join(["bestiary", "resume", str(plan.folder)])


def run_rows(folder: Path) -> list[dict[str, object]]:
    """The runs of a folder as plain rows, numbers that are not finite as null."""
    from bestiary.runs.store import COLUMNS, collect

    return json.loads(collect(folder).select(*COLUMNS).fill_nan(None).write_json())
