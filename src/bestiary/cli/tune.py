"""`bestiary tune`: find a learning rate for each model."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from bestiary.cli.console import Terminal
from bestiary.cli.recall import (
    AsJson,
    ConfigFile,
    Force,
    Mixers,
    Out,
    Overrides,
    Preset,
    Seeds,
    Workers,
)
from bestiary.errors import UserError

if TYPE_CHECKING:
    from bestiary.runs.tuning import Tuning


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
    force: Force = False,
) -> int:
    """Train each model over a grid of learning rates and keep the best by validation.

    Example: bestiary tune --preset quick --mixer hyena --rates 1e-3,3e-3,1e-2 --seeds 1

    The tuning file holds every point of the grid; `tuning: FILE` in a config uses it. Where a
    config has several points of one model, the model gets one rate for all of them. With --force
    another mixer, or more rates, are added to the folder and to its tuning file.
    """
    from bestiary.runs.request import read_experiment

    if write is not None and not _writable(write):
        raise UserError(f"--write is {str(write)!r}; it must be a file in a folder to write to")
    experiment = read_experiment(config, preset, overrides or (), mixers or (), seeds, workers)
    # Not sooner, for it loads torch: wrong names are told before.
    from bestiary.cli.sweeping import run_rows, say_failed, train
    from bestiary.runs import documents
    from bestiary.runs.experiment import make_plan, tune_plan
    from bestiary.runs.tuning import FILE, cautions, over_rates, parse_rates

    experiment = over_rates(experiment, parse_rates(rates))
    plan = make_plan(experiment, out or Path("results") / experiment.name)
    outcome = train(plan, force)
    rows = run_rows(plan.folder)
    command = _command(config, preset, rates, overrides or (), mixers or (), seeds, force)
    tuning = tune_plan(plan, rows, command)
    for path in (plan.folder / FILE, write):
        if path is not None:
            documents.write(path, tuning.plain())
    if as_json:
        typer.echo(json.dumps(tuning.plain(), indent=2))
    else:
        Terminal().show(_table(tuning))
        for caution in cautions(tuning, rows):
            Terminal().show(Text(f"! {caution}"))
        typer.echo(f"tuning file: {write or plan.folder / FILE}")
    return say_failed(plan, outcome)


def _writable(path: Path) -> bool:
    return not path.is_dir() and path.parent.is_dir() and os.access(path.parent, os.W_OK)


def _table(tuning: Tuning) -> Table:
    from bestiary.runs.tuning import rate_text

    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("model", "rate", "validation", "window"):
        table.add_column(name, justify="right" if name in ("rate", "validation") else "left")
    for name, tuned in tuning.models.items():
        accuracy = f"{tuned.validation_accuracy:.3f}"
        # Text, not markup: a mixer may be named [red].
        table.add_row(Text(name), rate_text(tuned.rate), accuracy, tuned.window.text)
    return table


def _command(
    config: Path | None,
    preset: str | None,
    rates: str | None,
    overrides: Sequence[str],
    mixers: Sequence[str],
    seeds: str | None,
    force: bool,
) -> str:
    """The command that makes the same tuning file, for the file to say."""
    words = ["bestiary", "tune", *([str(config)] if config else ["--preset", str(preset)])]
    for option, value in (("--rates", rates), ("--seeds", seeds)):
        words += [option, value] if value else []
    for option, values in (("--set", overrides), ("--mixer", mixers)):
        words += [word for value in values for word in (option, value)]
    words += ["--force"] if force else []
    return shlex.join(words)
