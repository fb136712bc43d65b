from __future__ import annotations

import polars as pl
import pytest

from bestiary.runs.measurements import HISTORY_SCHEMA, RESULTS_SCHEMA, read_history, read_results
from bestiary.runs.run_folder import RunFolder

ROW = {"split": "test", "queries": 64, "loss": 1.5, "accuracy": 0.25, "chance": 0.5}
ROWS = [
    {**ROW, "slice": "all", "all_correct": 0.125},
    {**ROW, "slice": "segment", "length": 16, "pairs": 2, "all_correct": 0.125},
    {**ROW, "slice": "gap", "gap_low": 2, "gap_high": 3},
]


@pytest.fixture
def folder(tmp_path):
    RunFolder(tmp_path).write_results(ROWS)
    return tmp_path


def rewrite(folder, change):
    path = folder / "results.parquet"
    change(pl.read_parquet(path)).write_parquet(path)


def test_what_was_written_is_read(folder):
    found = read_results(folder)
    assert dict(found.schema) == RESULTS_SCHEMA
    assert found["accuracy"].to_list() == [0.25] * 3
    assert read_history(folder) is None


def test_columns_that_a_task_adds_are_kept_and_those_it_has_not_are_null(folder):
    rewrite(folder, lambda f: f.drop("length").with_columns(pl.lit("easy").alias("kind")))
    found = read_results(folder)
    assert found.columns == [*RESULTS_SCHEMA, "kind"]
    assert found["length"].to_list() == [None] * 3
    assert found["kind"].to_list() == ["easy"] * 3


@pytest.mark.parametrize("name", ["split", "slice", "queries", "loss", "accuracy", "chance"])
def test_results_without_a_column_that_every_row_needs_are_none(folder, name):
    rewrite(folder, lambda f: f.drop(name))
    assert read_results(folder) is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("queries", "many"),
        ("accuracy", None),
        ("accuracy", float("nan")),
        ("loss", float("inf")),
        ("split", [1]),
        ("pairs", 0),
        ("length", -1),
        ("gap_high", None),
        ("all_correct", None),
    ],
)
def test_results_with_a_value_that_is_no_number_of_its_kind_are_none(folder, name, value):
    rewrite(folder, lambda f: f.with_columns(pl.lit(value).alias(name)))
    assert read_results(folder) is None


@pytest.mark.parametrize("content", [b"", b"PAR1", bytes(range(256)), None])
def test_a_file_that_is_no_table_is_none(folder, content):
    path = folder / "results.parquet"
    path.write_bytes(path.read_bytes()[:-100] if content is None else content)
    assert read_results(folder) is None


def test_an_empty_history_is_one(tmp_path):
    RunFolder(tmp_path).write_history([])
    assert dict(read_history(tmp_path).schema) == HISTORY_SCHEMA
