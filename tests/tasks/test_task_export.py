import json
import os
import stat
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from safetensors import safe_open

from bestiary.errors import UserError
from bestiary.tasks import build_task
from bestiary.tasks.export import to_hf, write
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.segments import Segment

MIXED = MQAR(256, (Segment(16, 2, test=1500), Segment(32, 4, test=30)))


def rows_of(task, split):
    """Every example as plain Python values, segment after segment."""
    for number, segment in enumerate(task.stream(split).segments):
        batch = task.arrays(split, number)
        for index in range(segment.examples):
            yield {
                "segment": number,
                "index": index,
                "tokens": batch.tokens[index].tolist(),
                "labels": batch.labels[index].tolist(),
                "pairs": int(batch.info["pairs"][index]),
                "gap": batch.info["gap"][index].tolist(),
            }


def test_parquet_holds_every_example_of_every_segment(tmp_path):
    path = tmp_path / "test.parquet"
    assert write(MIXED, "test", path) == 1530
    assert pl.read_parquet(path).to_dicts() == list(rows_of(MIXED, "test"))


def test_parquet_says_which_task_it_is_of(tmp_path):
    path = tmp_path / "test.parquet"
    write(MIXED, "test", path)
    metadata = pl.read_parquet_metadata(path)
    assert metadata["split"] == "test"
    assert build_task(json.loads(metadata["task"])) == MIXED


def test_safetensors_of_one_segment_has_the_arrays_under_their_names(tmp_path):
    task = MQAR(256, (Segment(16, 2),), test_examples=20)
    path = tmp_path / "test.safetensors"
    assert write(task, "test", path) == 20
    batch = task.arrays("test")
    with safe_open(path, "numpy") as file:
        assert sorted(file.keys()) == ["gap", "labels", "pairs", "tokens"]
        assert np.array_equal(file.get_tensor("tokens"), batch.tokens)
        assert np.array_equal(file.get_tensor("labels"), batch.labels)
        assert np.array_equal(file.get_tensor("gap"), batch.info["gap"])
        assert build_task(json.loads(file.metadata()["task"])) == task


def test_safetensors_of_several_segments_numbers_them(tmp_path):
    path = tmp_path / "test.safetensors"
    write(MIXED, "test", path)
    with safe_open(path, "numpy") as file:
        for number in range(2):
            tokens = MIXED.arrays("test", number).tokens
            assert np.array_equal(file.get_tensor(f"{number}.tokens"), tokens)


def test_hugging_face_rows_are_the_parquet_rows():
    small = MQAR(256, (Segment(16, 2, test=15), Segment(32, 4, test=3)))
    assert to_hf(small, "test").to_list() == list(rows_of(small, "test"))


def test_without_the_extra_its_name_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(UserError, match=r"bestiary\[hf\]"):
        to_hf(MIXED, "test")


@pytest.mark.parametrize("name", ["test.parquet", "test.safetensors"])
def test_files_can_be_read_by_others_as_the_umask_says(tmp_path, name):
    before = os.umask(0o027)
    try:
        write(MQAR(test_examples=3), "test", tmp_path / name)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o640


@pytest.mark.parametrize("name", ["data.csv", "data", "data.parquet.gz"])
def test_another_ending_is_refused_with_those_that_are_accepted(tmp_path, name):
    with pytest.raises(UserError, match=r"accepted endings: \.parquet, \.safetensors"):
        write(MIXED, "test", tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        write(MIXED, "test", tmp_path / "nowhere" / "test.parquet")


@pytest.mark.parametrize("ending", ["parquet", "safetensors"])
def test_a_disk_that_fills_up_leaves_the_old_file_and_nothing_else(tmp_path, ending):
    path = tmp_path / f"test.{ending}"
    path.write_bytes(b"old")
    # A process that may not write files beyond 4 KiB stands in for the full disk.
    script = (
        "import resource, signal, sys, pathlib\n"
        "from bestiary.tasks.export import write\n"
        "from bestiary.tasks.mqar import MQAR\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try:\n"
        "    write(MQAR(), 'test', pathlib.Path(sys.argv[1]))\n"
        "except OSError as error:\n"
        "    assert error.errno and error.filename == sys.argv[1], repr(error)\n"
        "    sys.exit(9)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True)
    assert done.returncode == 9, done.stderr
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes() == b"old"


def test_the_tasks_need_neither_torch_nor_the_writers_libraries():
    script = (
        "import sys, bestiary.tasks.mqar, bestiary.tasks.export, bestiary.tasks.facts\n"
        "bestiary.tasks.mqar.MQAR(test_examples=5).arrays('test')\n"
        "print([m for m in ('torch', 'polars', 'safetensors', 'datasets') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
