from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from small_experiment import jobs, tiny

from bestiary.runs import documents
from bestiary.runs.events import Advanced, Ended, Started
from bestiary.runs.executors.local import LocalProcesses
from bestiary.runs.run_folder import RunFolder
from bestiary.runs.store import collect
from bestiary.runs.worker import execute

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _odd_mixers_can_be_imported(monkeypatch, request):
    monkeypatch.syspath_prepend(str(request.path.parent))


def weights(job):
    return (job.folder / "model.safetensors").read_bytes()


def test_runs_in_processes_give_what_they_give_here_and_fail_alone(tmp_path):
    models = ["attention", "odd_mixers:Crashing", "odd_mixers:Dying", "short_conv"]
    given = jobs(tmp_path, sweep__models=models)
    events = []
    LocalProcesses(2).execute(given, events.append)

    statuses = {job.run.model.name: RunFolder(job.folder).status() for job in given}
    assert {name: status.status for name, status in statuses.items()} == {
        "attention": "finished",
        "Crashing": "failed",
        "Dying": "failed",
        "short_conv": "finished",
    }
    assert statuses["Crashing"].reason == "RuntimeError: the flux capacitor is empty"
    killed = "its process was killed by SIGKILL; the machine may be out of memory"
    assert statuses["Dying"].reason == killed

    ids = {job.run.run_id for job in given}
    assert {event.run_id for event in events if isinstance(event, Started)} == ids
    ended = {event.run_id: event for event in events if isinstance(event, Ended)}
    assert set(ended) == ids
    for job in given:
        assert ended[job.run.run_id].reason == statuses[job.run.model.name].reason
    assert any(isinstance(event, Advanced) and event.steps == 8 for event in events)

    (here,) = jobs(tmp_path / "here", sweep__models=["attention"])
    execute(here)
    assert weights(here) == weights(given[0])


def test_a_run_that_another_process_trains_is_waited_for_and_not_run_twice(tmp_path, monkeypatch):
    monkeypatch.setattr("bestiary.runs.executors.local.LOOK_AGAIN", 0.05)
    (job,) = jobs(tmp_path)
    folder = RunFolder(job.folder)
    entered, leave = threading.Event(), threading.Event()

    def other():
        with folder.locked():
            entered.set()
            leave.wait(30)

    thread = threading.Thread(target=other)
    thread.start()
    assert entered.wait(30)
    events = []
    threading.Timer(0.5, leave.set).start()
    before = time.monotonic()
    LocalProcesses(1).execute([job], events.append)
    thread.join()
    assert time.monotonic() - before > 0.4
    assert [event for event in events if isinstance(event, Started)] == [Started(job.run.run_id)]
    assert folder.status().status == "finished"


SWEEP = """
from pathlib import Path
from bestiary.runs.experiment import make_plan, run_plan
from bestiary.runs.request import read_experiment

if __name__ == "__main__":
    plan = make_plan(read_experiment(Path("tiny.yaml")), Path("out"))
    run_plan(plan, lambda event: print(event, flush=True))
"""


@pytest.fixture
def sweep(tmp_path, request):
    """Starts the same sweep of two slow runs in a process of its own."""
    (tmp_path / "sweep.py").write_text(SWEEP)
    (tmp_path / "odd_mixers.py").write_text((request.path.parent / "odd_mixers.py").read_text())
    models = ["odd_mixers:Slow", {"mixers": ["odd_mixers:Slow"], "d_model": 4}]
    data = tiny(sweep__models=models, executor={"name": "local", "workers": 2})
    data["training"] |= {"epochs": 12, "validate_every": 12}
    documents.write(tmp_path / "tiny.yaml", data)

    def start(**options):
        command = [sys.executable, "sweep.py"]
        return subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, **options)

    return start


def read_until_advanced(process, count):
    """Read events until ``count`` runs have trained some steps."""
    seen = set()
    for line in process.stdout:
        if line.startswith("Advanced"):
            seen.add(line.split("'")[1])
        if len(seen) == count:
            return
    raise AssertionError(f"the sweep ended with {seen} alone")


def processes_in(folder):
    """Process ids whose working directory is ``folder``, zombies aside."""
    found = []
    for process in Path("/proc").iterdir():
        # One that ends while it is looked at has no directory any more.
        with contextlib.suppress(OSError):
            if process.name.isdecimal() and (process / "cwd").readlink() == folder:
                found.append(int(process.name))
    return found


def wait_until_none(folder, seconds):
    deadline = time.monotonic() + seconds
    while processes_in(folder) and time.monotonic() < deadline:
        time.sleep(0.1)
    return processes_in(folder)


def table(folder):
    columns = ("run_id", "status", "accuracy", "loss", "all_correct", "step")
    return collect(folder).sort("run_id").select(columns).rows()


def test_a_killed_sweep_leaves_no_process_and_goes_on_to_the_table_it_would_have_had(
    tmp_path, sweep
):
    out = tmp_path / "out"
    first = sweep()
    read_until_advanced(first, 2)
    first.kill()
    first.wait()
    # Its processes see that it is gone, save and go.
    assert wait_until_none(tmp_path, 30) == []
    left = {row[0]: row[5] for row in table(out) if row[1] == "interrupted"}
    assert left
    assert all((out / "runs" / run_id / "checkpoint").exists() for run_id in left)

    second = sweep()
    events = second.stdout.read()
    assert second.wait(120) == 0
    resumed = table(out)
    assert [row[1] for row in resumed] == ["finished"] * 2
    for run_id, step in left.items():
        went_on = [line for line in events.splitlines() if f"Advanced(run_id='{run_id}'" in line]
        assert all(int(line.split(" step=")[1].split(",")[0]) > step for line in went_on)

    given = jobs(tmp_path / "undisturbed", **_changes(tmp_path))
    for job in given:
        execute(job)
    assert table(tmp_path / "undisturbed") == resumed
    for job in given:
        assert weights(job) == (out / "runs" / job.run.run_id / "model.safetensors").read_bytes()


def _changes(folder):
    data = documents.read(folder / "tiny.yaml")
    return {"sweep": data["sweep"], "training": data["training"]}
