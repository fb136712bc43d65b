from __future__ import annotations

import errno
import json
import os

import polars as pl
import pytest
from safetensors.torch import load_file
from small_experiment import experiment, job

import bestiary.training.checkpoint as checkpoint_module
from bestiary.runs.run_folder import RunFolder
from bestiary.runs.store import collect
from bestiary.runs.sweep import expand
from bestiary.runs.worker import execute
from bestiary.tasks.duplicates import count_duplicates


@pytest.fixture(autouse=True)
def _odd_mixers_can_be_imported(monkeypatch, request):
    monkeypatch.syspath_prepend(str(request.path.parent))


def test_a_finished_run_has_every_file_and_its_numbers_agree(tmp_path):
    given = job(tmp_path)
    seen = []
    status = execute(given, seen.append)
    folder = RunFolder(given.folder)
    assert status == folder.status()
    # 128 examples in batches of 32, twice.
    assert (status.status, status.step, status.steps) == ("finished", 8, 8)
    assert {path.name for path in given.folder.iterdir()} >= {
        "config.yaml",
        "status.json",
        "environment.json",
        "history.parquet",
        "results.parquet",
        "summary.json",
        "model.safetensors",
    }
    assert not folder.checkpoint.exists()
    assert folder.config() == given.run
    assert seen[-1].step == 8

    results = pl.read_parquet(given.folder / "results.parquet")
    whole = results.filter(slice="all")
    assert set(whole["split"]) == {"validation", "test"}
    # Two queries in each of 32 examples; guessing among two values is right half the time.
    assert whole["queries"].to_list() == [64, 64]
    assert whole["chance"].to_list() == [0.5, 0.5]

    (row,) = collect(tmp_path).iter_rows(named=True)
    test = whole.filter(split="test").row(0, named=True)
    assert row["accuracy"] == test["accuracy"]
    assert row["validation_accuracy"] == whole.filter(split="validation")["accuracy"][0]
    assert (row["length"], row["pairs"], row["d_model"]) == (16, 2, 8)
    assert row["parameters"] == sum(
        value.numel() for value in load_file(given.folder / "model.safetensors").values()
    )


def test_the_exact_mix_of_lengths_and_the_duplicates_are_on_record(tmp_path):
    segments = [
        {"length": 8, "pairs": 1, "train": 64, "validation": 8, "test": 16},
        {"length": 16, "pairs": 2, "train": 32, "validation": 8, "test": 0},
    ]
    given = job(tmp_path, task__segments=segments, task__vocab_size=8)
    execute(given)
    summary = RunFolder(given.folder).summary()
    mix = {
        split: [(s["length"], s["pairs"], s["examples"]) for s in segments]
        for split, segments in summary["segments"].items()
    }
    assert mix == {
        "train": [(8, 1, 64), (16, 2, 32)],
        "validation": [(8, 1, 8), (16, 2, 8)],
        "test": [(8, 1, 16)],
    }
    counted = count_duplicates(given.run.build_task())
    assert [row["in_train"] for row in summary["duplicates"]] == [row.in_train for row in counted]
    # Slices, never a mean alone: a row for each segment of the validation split.
    results = pl.read_parquet(given.folder / "results.parquet")
    segments = results.filter(split="validation", slice="segment")
    assert segments["length"].to_list() == [8, 16]


def test_the_environment_says_where_without_saying_whose(tmp_path):
    given = job(tmp_path)
    execute(given)
    text = (given.folder / "environment.json").read_text()
    environment = json.loads(text)
    assert set(environment["versions"]) == {"bestiary", "python", "torch", "numpy"}
    assert environment["seed"] == 0
    assert environment["threads"] == 1
    assert environment["host"]["cores"] >= 1
    assert os.uname().nodename not in text


def test_a_run_that_is_done_is_never_trained_again(tmp_path, monkeypatch):
    given = job(tmp_path)
    first = execute(given)
    monkeypatch.setattr("bestiary.runs.worker.train", lambda *a: pytest.fail("trained again"))
    assert execute(given) == first


def test_the_same_run_in_another_folder_has_the_same_weights(tmp_path):
    one, two = job(tmp_path / "one"), job(tmp_path / "two")
    execute(one)
    execute(two)
    weights = [(given.folder / "model.safetensors").read_bytes() for given in (one, two)]
    assert weights[0] == weights[1]


def test_divergence_is_a_result(tmp_path):
    given = job(tmp_path, model__mixers=["odd_mixers:Diverging"])
    status = execute(given)
    assert status.status == "diverged"
    assert status.reason
    (row,) = collect(tmp_path).iter_rows(named=True)
    assert row["status"] == "diverged"
    assert row["accuracy"] is None


@pytest.mark.parametrize(
    ("mixer", "reason"),
    [
        ("odd_mixers:Crashing", "RuntimeError: the flux capacitor is empty"),
        ("odd_mixers:Hungry", "out of memory; take a smaller batch or model, or fewer workers"),
    ],
)
def test_a_run_that_fails_says_why_and_keeps_its_traceback(tmp_path, mixer, reason):
    given = job(tmp_path, model__mixers=[mixer])
    status = execute(given)
    assert (status.status, status.reason) == ("failed", reason)
    assert "Traceback" in RunFolder(given.folder).log.read_text()


def test_a_disk_full_at_a_checkpoint_loses_nothing_that_was_saved(tmp_path, monkeypatch):
    whole = job(tmp_path / "whole")
    execute(whole)

    given = job(tmp_path / "full")
    write = checkpoint_module.write_atomically
    written = []

    def until_the_disk_is_full(path, content):
        if len(written) >= 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        written.append(path)
        write(path, content)

    monkeypatch.setattr(checkpoint_module, "write_atomically", until_the_disk_is_full)
    status = execute(given)
    assert status.status == "failed"
    assert "No space left on device" in status.reason
    assert "the previous checkpoint is whole" in status.reason
    monkeypatch.undo()
    # Room again: the run goes on from the checkpoint of step 2 and ends as if nothing had been.
    seen = []
    assert execute(given, seen.append).status == "finished"
    assert seen[0].step > 2
    weights = [(one.folder / "model.safetensors").read_bytes() for one in (whole, given)]
    assert weights[0] == weights[1]


def test_a_failed_run_is_tried_again_when_asked_again(tmp_path, monkeypatch):
    given = job(tmp_path, model__mixers=["odd_mixers:Crashing"])
    assert execute(given).status == "failed"
    monkeypatch.setattr("odd_mixers.Crashing.misbehave", lambda self: None)
    assert execute(given).status == "finished"


def test_an_interrupt_is_recorded_and_passed_on(tmp_path, monkeypatch):
    given = job(tmp_path)

    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("bestiary.runs.worker.train", interrupted)
    with pytest.raises(KeyboardInterrupt):
        execute(given)
    assert RunFolder(given.folder).status().status == "interrupted"


def test_a_run_another_process_has_is_left_to_it(tmp_path):
    given = job(tmp_path)
    with RunFolder(given.folder).locked():
        assert execute(given) is None
    assert not (given.folder / "status.json").exists()


def test_a_job_survives_the_way_to_its_process(tmp_path):
    (run,) = expand(experiment(model__mixers=[{"name": "hyena", "order": 3}]))
    from bestiary.runs.job import Job

    given = Job(run, tmp_path, tuple(experiment(sinks=["tensorboard"]).sinks))
    assert Job.from_json(given.to_json()) == given
