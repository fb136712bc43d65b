"""`bestiary resume`: go on with an experiment that was stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bestiary.cli.recall import AsJson, NoReport, Workers


def resume(
    folder: Annotated[Path, typer.Argument(help="The experiment's folder (its --out).")],
    workers: Workers = None,
    no_report: NoReport = False,
    as_json: AsJson = False,
) -> int:
    """Go on with an experiment: interrupted runs from their checkpoints, failed ones once more.

    Example: bestiary resume results/quick
    """
    from bestiary.runs.experiment_folder import require_experiment

    require_experiment(folder)
    from bestiary.cli.sweeping import conclude, train
    from bestiary.runs.experiment import load_experiment, make_plan

    experiment = load_experiment(folder)
    if workers is not None:
        executor = experiment.executor.model_copy(update={"workers": workers})
        experiment = experiment.model_copy(update={"executor": executor})
    plan = make_plan(experiment, folder)
    # The folder's own experiment: runs that --force once added to it are no surprise.
    return conclude(plan, train(plan, force=True), report=not no_report, as_json=as_json)
