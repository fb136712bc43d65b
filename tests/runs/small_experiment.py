"""An experiment that trains in a fraction of a second, and jobs made of it."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

from bestiary.runs.config import Experiment
from bestiary.runs.job import Job
from bestiary.runs.sweep import expand, set_dotted

TINY: dict[str, Any] = {
    "name": "tiny",
    "task": {
        "name": "mqar",
        "vocab_size": 16,
        "segments": [{"length": 16, "pairs": 2}],
        "train_examples": 128,
        "validation_examples": 32,
        "test_examples": 32,
    },
    "model": {"d_model": 8, "n_layers": 1},
    "training": {"epochs": 2, "batch_size": 32, "validate_every": 4, "checkpoint_every": 2},
    "seeds": [0],
}


def tiny(**changes: Any) -> dict[str, Any]:
    """The plain data, ``changes`` with ``__`` for the dots of a key."""
    data = deepcopy(TINY)
    for key, value in changes.items():
        set_dotted(data, key.replace("__", "."), value)
    return data


def experiment(**changes: Any) -> Experiment:
    return Experiment.read(tiny(**changes), "test")


def jobs(folder: Path, **changes: Any) -> list[Job]:
    made = expand(experiment(**changes))
    return [Job(run, folder / "runs" / run.run_id) for run in made]


def job(folder: Path, **changes: Any) -> Job:
    (only,) = jobs(folder, **changes)
    return only
