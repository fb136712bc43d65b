"""`bestiary tune`: find a learning rate for each model."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from bestiary.cli.console import Terminal
from bestiary.cli.recall import AsJson, ConfigFile, Mixers, Out, Overrides, Preset, Seeds, Workers


def tune(
    config: ConfigFile = None,
    preset: Preset = None,
    rates: Annotated[
        str | None,
        typer.Option("--rates", help="Rates to try [1e-4 to 1e-1, two a decade].", metavar="A,B,…"),
    ] = None,
    overrides: Overrides = None,
    mixers: Mixers = None,
    seeds: Seeds = None,
    out: Out = None,
    workers: Workers = None,
    write: Annotated[
        Path | None, typer.Option("--write", help="Write the tuning file here too.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Train each model over a grid of learning rates and keep the best by validation.

    Example: bestiary tune --preset quick --mixer hyena --rates 1e-3,3e-3,1e-2 --seeds 1

    The tuning file holds every point of the grid; `tuning: FILE` in a config uses it. Where a
    config has several points of one model, the model gets one rate for all of them.
    """
    from bestiary.cli.sweeping import run_rows, say_failed, train
    from bestiary.runs import documents
    from bestiary.runs.experiment import make_plan
    from bestiary.runs.request import read_experiment
    from bestiary.runs.tuning import FILE, over_rates, parse_rates, tune_from_runs

    experiment = read_experiment(config, preset, overrides or (), mixers or (), seeds, workers)
    experiment = over_rates(experiment, parse_rates(rates))
    plan = make_plan(experiment, out or Path("results") / experiment.name)
    outcome = train(plan)
    rows = run_rows(plan.folder)
    command = _command(config, preset, rates, overrides or (), mixers or (), seeds)
    tuning = tune_from_runs(rows, command, experiment.plain())
    for path in (plan.folder / FILE, write):
        if path is not None:
            documents.write(path, tuning.plain())
    if as_json:
        typer.echo(json.dumps(tuning.plain(), indent=2))
    else:
        table = Table("model", "rate", "validation", "window", box=None, pad_edge=False)
        for name, tuned in tuning.models.items():
            window = f"{tuned.window.low:g} to {tuned.window.high:g}"
            table.add_row(name, f"{tuned.rate:g}", f"{tuned.validation_accuracy:.3f}", window)
        Terminal().show(table)
        typer.echo(f"tuning file: {write or plan.folder / FILE}")
    return say_failed(plan, outcome)


def _command(
    config: Path | None,
    preset: str | None,
    rates: str | None,
    overrides: Sequence[str],
    mixers: Sequence[str],
    seeds: str | None,
) -> str:
    """The command that makes the same tuning file, for the file to say."""
    words = ["bestiary", "tune", *([str(config)] if config else ["--preset", str(preset)])]
    for option, value in (("--rates", rates), ("--seeds", seeds)):
        words += [option, value] if value else []
    for option, values in (("--set", overrides), ("--mixer", mixers)):
        words += [word for value in values for word in (option, value)]
    return shlex.join(words)
