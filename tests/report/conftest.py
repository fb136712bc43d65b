from pathlib import Path

import pytest

from bestiary.report import load_study
from bestiary.report.study import Study
from bestiary.runs.config import Experiment
from bestiary.runs.experiment import make_plan, prepare_folder
from bestiary.runs.job import Job
from bestiary.runs.worker import execute

TRAINED = {
    "name": "trained <small>",
    "task": {
        "name": "mqar",
        "vocab_size": 16,
        "segments": [{"length": 8, "pairs": 1}, {"length": 16, "pairs": 2}],
        "train_examples": 128,
        "validation_examples": 32,
        "test_examples": 64,
    },
    "model": {"n_layers": 1},
    "training": {"epochs": 2, "batch_size": 32, "validate_every": 4},
    "seeds": [0, 1, 2],
    "sweep": {
        "grid": {"model.d_model": [4, 8]},
        "models": [
            {"mixers": ["attention"], "grid": {"training.learning_rate": [1e-3, 1e-2]}},
            {"mixers": ["base_conv"]},
        ],
    },
}
"""18 runs of the real trainer, a fraction of a second each."""


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment folder that the real trainer has filled."""
    folder = tmp_path_factory.mktemp("trained")
    plan = make_plan(Experiment.read(TRAINED, "test"), folder)
    prepare_folder(plan, force=False)
    for run in plan.runs:
        status = execute(Job(run, plan.run_folder(run).path))
        assert status is not None and status.status == "finished"
    return folder


@pytest.fixture(scope="session")
def study(trained: Path) -> Study:
    return load_study(trained)
