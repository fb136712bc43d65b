from __future__ import annotations

import builtins
import sys

import pytest
from small_experiment import experiment, job

from bestiary.errors import UserError
from bestiary.runs.job import Job
from bestiary.runs.run_folder import RunFolder
from bestiary.runs.sinks import require_sinks
from bestiary.runs.store import collect, collect_history
from bestiary.runs.worker import execute

pytestmark = pytest.mark.slow


def with_sinks(tmp_path, *names):
    given = job(tmp_path)
    return Job(given.run, given.folder, tuple(experiment(sinks=list(names)).sinks))


def test_tensorboard_files_hold_the_history_and_the_test_accuracy(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    given = with_sinks(tmp_path, "tensorboard")
    assert execute(given).status == "finished"
    events = EventAccumulator(str(given.folder / "tensorboard"))
    events.Reload()
    history = collect_history(given.folder).filter(split="validation").sort("step")
    logged = events.Scalars("validation/accuracy")
    assert [one.step for one in logged] == history["step"].to_list()
    assert [one.value for one in logged] == pytest.approx(history["accuracy"].to_list())
    (test,) = events.Scalars("test/accuracy")
    assert test.value == pytest.approx(collect(given.folder)["accuracy"][0])


def test_wandb_writes_an_offline_run_and_calls_nobody(tmp_path, monkeypatch):
    monkeypatch.setenv("WANDB_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("WANDB_CACHE_DIR", str(tmp_path / "cache"))
    given = with_sinks(tmp_path, "wandb")
    status = execute(given)
    assert status.status == "finished", RunFolder(given.folder).log.read_text()
    (written,) = given.folder.glob("wandb/offline-run-*/run-*.wandb")
    assert b"validation/accuracy" in written.read_bytes()


def test_sinks_are_closed_where_the_run_or_the_next_sink_fails(tmp_path, monkeypatch):
    from bestiary.runs import sinks

    closed = []

    class Kept:
        def __init__(self, folder):
            pass

        def log(self, step, values):
            raise OSError("the disk is full")

        def close(self):
            closed.append(self)

    monkeypatch.setattr(sinks, "TensorBoardSink", Kept)
    given = with_sinks(tmp_path, "tensorboard")
    status = execute(given)
    assert (status.status, len(closed)) == ("failed", 1)
    assert "the disk is full" in status.reason

    def refused(*given):
        raise OSError("no network")

    monkeypatch.setattr(sinks, "WandbSink", refused)
    both = Job(given.run, tmp_path / "both", (*given.sinks, *experiment(sinks=["wandb"]).sinks))
    assert execute(both).status == "failed"
    assert len(closed) == 2


@pytest.mark.parametrize("name", ["tensorboard", "wandb"])
def test_a_sink_that_is_not_installed_names_its_extra(name, monkeypatch):
    real = builtins.__import__

    def without(module, *arguments, **options):
        if module.partition(".")[0] == name:
            raise ImportError(f"No module named {name!r}")
        return real(module, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(UserError, match=rf"pip install 'bestiary\[{name}\]'"):
        require_sinks(experiment(sinks=[name]).sinks)
