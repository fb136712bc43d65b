"""`bestiary recall`: train models on recall and show what they can."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ConfigFile = Annotated[
    Path | None, typer.Argument(metavar="[CONFIG]", help="A YAML file; or give --preset.")
]
Preset = Annotated[
    str | None, typer.Option("--preset", "-p", help="quick, figure2 or capacity.", metavar="NAME")
]
Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set", help="Change a config field, e.g. model.d_model=128.", metavar="KEY=VALUE"
    ),
]
Mixers = Annotated[
    list[str] | None,
    typer.Option(
        "--mixer",
        "-m",
        help="Compare this mixer (repeat for more; 'a,b' alternates layers).",
        metavar="NAME|MODULE:CLASS",
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        help="Compare a model with weights set by hand too, e.g. compiled:all-pairs (repeatable).",
        metavar="compiled:NAME[,OPTION=VALUE]",
    ),
]
NoMixers = Annotated[
    bool, typer.Option("--no-mixers", help="Train nothing; compare what --model names alone.")
]
Seeds = Annotated[
    str | None, typer.Option("--seeds", help="How many (3) or which (0,4,7).", metavar="SEEDS")
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="Folder for runs and report [results/NAME].")
]
Workers = Annotated[
    int | None, typer.Option("--workers", "-w", min=1, help="Runs at once [as many as cores].")
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", help="Train only this run, by id or index.", metavar="RUN"),
]
Shard = Annotated[
    str | None,
    typer.Option("--shard", help="Train only part K of N of the runs, e.g. 2/8.", metavar="K/N"),
]
NoReport = Annotated[bool, typer.Option("--no-report", help="Train only; write no page.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the runs as JSON.")]
Force = Annotated[bool, typer.Option("--force", help="Add to a folder of another experiment.")]
ListRuns = Annotated[bool, typer.Option("--list", help="Print the runs; train nothing.")]


def recall(
    config: ConfigFile = None,
    preset: Preset = None,
    overrides: Overrides = None,
    mixers: Mixers = None,
    models: Models = None,
    no_mixers: NoMixers = False,
    seeds: Seeds = None,
    out: Out = None,
    workers: Workers = None,
    only: Only = None,
    shard: Shard = None,
    list_runs: ListRuns = False,
    no_report: NoReport = False,
    as_json: AsJson = False,
    force: Force = False,
) -> int:
    """Train models on multi-query associative recall and show which can do it.

    Example: bestiary recall --preset quick --mixer attention --mixer hyena --seeds 1

    --mixer names what is compared instead of the config's models. --model adds a compiled model to
    them, which is not trained: it is scored on the same test examples, once for each task.

    Finished runs are never trained again: the same command goes on where it was stopped.
    Exit code 0: every run has a result; 1: some failed; 2: the question was wrong.
    """
    from bestiary.runs.request import read_experiment

    experiment = read_experiment(
        config, preset, overrides or (), mixers or (), seeds, workers, models or (), not no_mixers
    )
    # Not sooner, for it loads torch: wrong names are told before.
    from bestiary.cli.sweeping import conclude, conclude_empty, train
    from bestiary.runs.experiment import make_plan, parse_shard

    folder = out or Path("results") / experiment.name
    plan = make_plan(experiment, folder, only or (), parse_shard(shard))
    if list_runs:
        for number, run in enumerate(plan.runs):
            if run in plan.chosen:
                typer.echo(f"{number}\t{run.run_id}\tseed {run.seed}")
        return 0
    if shard and not plan.chosen:
        return conclude_empty(plan, shard, as_json)
    return conclude(plan, train(plan, force), report=not no_report, as_json=as_json)
