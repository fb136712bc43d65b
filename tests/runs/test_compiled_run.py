from __future__ import annotations

import json

import polars as pl
import pytest
from small_experiment import jobs

from bestiary.errors import UserError
from bestiary.runs.run_folder import RunFolder
from bestiary.runs.store import collect
from bestiary.runs.trained_model import load_trained
from bestiary.runs.worker import execute

ALL_PAIRS = "compiled:all-pairs"


def compiled_job(folder, **changes):
    (only,) = jobs(folder, sweep__models=[ALL_PAIRS], **changes)
    return only


def test_a_run_leaves_what_a_report_reads_and_no_weights(tmp_path):
    given = compiled_job(tmp_path)
    status = execute(given)
    assert (status.status, status.step, status.steps) == ("finished", 0, 0)
    names = {path.name for path in given.folder.iterdir()}
    assert names >= {
        "config.yaml",
        "status.json",
        "environment.json",
        "results.parquet",
        "summary.json",
    }
    assert not names & {"model.safetensors", "checkpoint", "history.parquet"}
    summary = json.loads((given.folder / "summary.json").read_text())
    # 16 tokens are 4 bits: ⌈log2 4⌉ + 3 layers, and 15 distances in 16 tokens.
    assert summary["compiled"]["layers"] == 5
    assert summary["d_model"] == summary["compiled"]["width"] <= 15 * 5
    assert summary["state_sizes"] == {"16": 64}
    assert 0 < summary["parameters"] < summary["compiled"]["dense"]
    assert summary["compiled"]["notes"] == []
    assert summary["segments"]["test"] == [
        {"length": 16, "pairs": 2, "examples": 32, "chance": 0.5}
    ]


def test_it_is_scored_on_the_slices_and_queries_of_a_trained_run(tmp_path):
    compiled, trained = jobs(tmp_path, sweep__models=[ALL_PAIRS, "attention"])
    for given in (compiled, trained):
        assert execute(given).status == "finished"
    tables = [pl.read_parquet(given.folder / "results.parquet") for given in (compiled, trained)]
    measured = ("loss", "accuracy", "all_correct")
    assert tables[0].drop(measured).equals(tables[1].drop(measured))
    assert set(tables[0]["accuracy"]) == {1.0}
    rows = {row["label"]: row for row in collect(tmp_path).iter_rows(named=True)}
    row = rows[ALL_PAIRS]
    assert (row["accuracy"], row["learning_rate"], row["length"], row["pairs"]) == (1, None, 16, 2)
    assert row["model.compiled"] == "all-pairs" and row["model.d_model"] is None
    assert rows["attention"]["model.compiled"] is None


def test_it_is_scored_in_the_dtype_of_the_training_and_float32_keeps_its_run_id(tmp_path):
    ids, losses = set(), {}
    for dtype in ("float32", "bfloat16", "float64"):
        given = compiled_job(tmp_path, training__dtype=dtype)
        assert execute(given).status == "finished"
        assert RunFolder(given.folder).config().training.dtype == dtype
        results = pl.read_parquet(given.folder / "results.parquet")
        assert set(results["accuracy"]) == {1.0}
        losses[dtype] = results["loss"].max()
        ids.add(given.run.run_id)
    assert len(ids) == 3
    assert "dtype" not in compiled_job(tmp_path).run.resolved()
    # e^-32 of a token that differs in one bit, which 1 + e^-32 has no digits for in float32.
    assert losses["float32"] == 0 < losses["float64"]


def test_repeats_that_were_seen_in_the_test_are_noted(tmp_path):
    given = compiled_job(tmp_path, task__filler="any")
    assert execute(given).status == "finished"
    folder = RunFolder(given.folder)
    (note,) = folder.summary()["compiled"]["notes"]
    assert "of 64 queries had a key that came more than once before" in note
    assert note in folder.log.read_text(encoding="utf-8")
    (decided,) = jobs(
        tmp_path, sweep__models=["compiled:all-pairs,repeat=first"], task__filler="any"
    )
    assert execute(decided).status == "finished"
    rows = {row["label"]: row["accuracy"] for row in collect(tmp_path).iter_rows(named=True)}
    assert rows["compiled:all-pairs,repeat=first"] == 1.0 > rows[ALL_PAIRS]


def test_a_finished_run_is_left_and_one_that_fails_says_why(tmp_path):
    given = compiled_job(tmp_path)
    first = execute(given)
    assert execute(given) == first
    broken = compiled_job(tmp_path / "broken", task__vocab_size=2**17)
    status = execute(broken)
    assert (status.status, status.reason) == (
        "failed",
        "compiled:all-pairs takes a vocab_size of up to 65,536; the task has 131,072",
    )


def test_whoever_watches_hears_of_every_batch_of_examples(tmp_path):
    given = compiled_job(tmp_path, training__batch_size=10)
    heard = []
    execute(given, heard.append)
    counts = [
        sum(segment.examples for segment in given.run.build_task().stream(split).segments)
        for split in ("validation", "test")
    ]
    size = given.run.training.batch_size
    batches = [min(size, count - start) for count in counts for start in range(0, count, size)]
    assert len(batches) == 8
    assert [one.step for one in heard] == [sum(batches[: n + 1]) for n in range(len(batches))]
    assert {one.steps for one in heard} == {sum(counts)}
    assert {one.accuracy for one in heard} == {1.0}


def test_it_has_no_trained_weights_to_load(tmp_path):
    given = compiled_job(tmp_path)
    execute(given)
    with pytest.raises(UserError, match="compiled model, compiled:all-pairs, and no trained one"):
        load_trained(given.folder)
