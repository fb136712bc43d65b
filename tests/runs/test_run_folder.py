from __future__ import annotations

import subprocess
import sys

import polars as pl
import pytest
from small_experiment import job

from bestiary.runs.measurements import HISTORY_SCHEMA
from bestiary.runs.run_folder import Busy, RunFolder, RunStatus

HOLD = """
import fcntl, sys, time
file = open(sys.argv[1], "w")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the lock of ``tmp_path``."""
    command = [sys.executable, "-c", HOLD, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_only_one_process_holds_a_run_at_a_time(tmp_path, holder):
    folder = RunFolder(tmp_path)
    assert folder.is_locked()
    with pytest.raises(Busy), folder.locked():
        pass


def test_a_lock_ends_with_its_process_however_it_ends(tmp_path, holder):
    holder.kill()
    holder.wait(10)
    folder = RunFolder(tmp_path)
    assert not folder.is_locked()
    with folder.locked():
        assert folder.is_locked()


def test_a_run_left_as_running_by_a_killed_process_is_interrupted(tmp_path, holder):
    folder = RunFolder(tmp_path)
    folder.write_status(RunStatus("running", step=3, steps=9))
    assert folder.status().status == "running"
    holder.kill()
    holder.wait(10)
    status = folder.status()
    assert (status.status, status.step, status.steps) == ("interrupted", 3, 9)


def test_a_folder_nobody_started_is_waiting(tmp_path):
    assert RunFolder(tmp_path / "none").status() == RunStatus()
    assert not RunFolder(tmp_path / "none").is_locked()


def test_the_end_of_a_run_is_not_overwritten_by_a_late_word(tmp_path):
    folder = RunFolder(tmp_path)
    folder.write_status(RunStatus("finished", step=9, steps=9))
    assert folder.record_end(job(tmp_path).run, "failed", "killed").status == "finished"
    assert folder.status().status == "finished"


def test_a_run_that_died_before_it_wrote_anything_is_still_on_record(tmp_path):
    run = job(tmp_path).run
    RunFolder(tmp_path / "run").record_end(run, "failed", "killed")
    assert RunFolder(tmp_path / "run").config() == run
    assert RunFolder(tmp_path / "run").status().reason == "killed"


def test_a_config_is_read_back_as_the_run_it_was(tmp_path):
    given = job(tmp_path)
    RunFolder(tmp_path).write_config(given.run)
    assert RunFolder(tmp_path).config() == given.run


def test_tables_have_their_columns_even_without_rows(tmp_path):
    folder = RunFolder(tmp_path)
    folder.write_history([])
    assert dict(pl.read_parquet(tmp_path / "history.parquet").schema) == HISTORY_SCHEMA
    folder.write_history([{"step": 1, "split": "train", "loss": float("nan"), "own": 5}])
    frame = pl.read_parquet(tmp_path / "history.parquet")
    assert frame.columns == [*HISTORY_SCHEMA, "own"]
    assert frame["accuracy"].to_list() == [None]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[1]",
        "null",
        '{"status": 3}',
        '{"status": "splendid"}',
        '{"status": "failed", "step": NaN}',
    ],
)
def test_a_status_that_cannot_be_read_is_that_of_a_run_nobody_started(tmp_path, text):
    (tmp_path / "status.json").write_text(text)
    assert RunFolder(tmp_path).status() == RunStatus()
