"""An experiment folder with two finished runs and one that was interrupted."""

from __future__ import annotations

from pathlib import Path

from small_recall import write_config

from bestiary.runs.job import Job
from bestiary.runs.request import read_experiment
from bestiary.runs.run_folder import RunFolder, RunStatus
from bestiary.runs.sweep import expand
from bestiary.runs.worker import execute


def trained(folder: Path) -> Path:
    """Train in this process, without the command line; the experiment's folder."""
    experiment = read_experiment(write_config(folder), mixers=["attention", "short_conv", "based"])
    for run in expand(experiment):
        job = Job(run, folder / "tiny" / "runs" / run.run_id)
        if run.model.name != "based":
            execute(job)
            continue
        job.folder.mkdir(parents=True)
        RunFolder(job.folder).write_config(run)
        RunFolder(job.folder).write_status(
            RunStatus("interrupted", step=4, steps=8, reason="stopped half way")
        )
    return folder / "tiny"
