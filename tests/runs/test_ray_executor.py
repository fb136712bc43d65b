from __future__ import annotations

import sys

import pytest
from small_experiment import jobs

from bestiary.errors import UserError
from bestiary.runs.config import RayExecutor
from bestiary.runs.events import Ended, Started
from bestiary.runs.executors import build_executor
from bestiary.runs.run_folder import RunFolder
from bestiary.runs.store import collect
from bestiary.runs.worker import execute

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _odd_mixers_can_be_imported(monkeypatch, request):
    monkeypatch.syspath_prepend(str(request.path.parent))
    monkeypatch.chdir(request.path.parent)


def test_runs_on_a_local_ray_give_the_same_numbers_and_fail_alone(tmp_path):
    models = ["attention", "short_conv", "odd_mixers:Crashing", "odd_mixers:Dying"]
    given = jobs(tmp_path / "ray", sweep__models=models)
    events = []
    build_executor(RayExecutor(workers=2)).execute(given, events.append)

    statuses = {job.run.model.name: RunFolder(job.folder).status() for job in given}
    assert {name: status.status for name, status in statuses.items()} == {
        "attention": "finished",
        "short_conv": "finished",
        "Crashing": "failed",
        "Dying": "failed",
    }
    assert statuses["Crashing"].reason == "RuntimeError: the flux capacitor is empty"
    assert "Ray task ended without a result" in statuses["Dying"].reason
    ids = {job.run.run_id for job in given}
    assert {event.run_id for event in events if isinstance(event, Started)} == ids
    assert {event.run_id for event in events if isinstance(event, Ended)} == ids

    here = jobs(tmp_path / "here", sweep__models=models[:2])
    for job in here:
        execute(job)
    columns = ("run_id", "status", "accuracy", "loss", "all_correct", "validation_accuracy")
    on_ray = collect(tmp_path / "ray").filter(status="finished")
    assert (
        on_ray.sort("run_id").select(columns).rows()
        == collect(tmp_path / "here").sort("run_id").select(columns).rows()
    )


def test_a_ray_that_cannot_be_reached_is_one_sentence(tmp_path):
    executor = build_executor(RayExecutor(address="127.0.0.1:1"))
    with pytest.raises(UserError, match=r"cannot reach Ray at '127\.0\.0\.1:1' \(executor"):
        executor.execute(jobs(tmp_path), lambda event: None)


@pytest.mark.parametrize("address", ["nowhere", "host:", "ray://:1", "host:ten"])
def test_an_address_that_is_none_is_refused(tmp_path, address):
    executor = build_executor(RayExecutor(address=address))
    with pytest.raises(UserError, match="accepted: auto, host:port or ray://host:port"):
        executor.execute(jobs(tmp_path), lambda event: None)


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UserError, match=r"pip install 'bestiary\[ray\]'"):
        build_executor(RayExecutor())
