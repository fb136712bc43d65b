from __future__ import annotations

import polars as pl
import pytest
from small_experiment import jobs

from bestiary.errors import UserError
from bestiary.runs.run_folder import RunFolder, RunStatus
from bestiary.runs.store import COLUMNS, collect, collect_history, collect_results, find_run
from bestiary.runs.worker import execute


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two finished runs, one that only has a config, one half written."""
    folder = tmp_path_factory.mktemp("store") / "tiny"
    given = jobs(folder, seeds=[0, 1, 2, 3])
    for one in given[:2]:
        execute(one)
    for one in given[2:]:
        one.folder.mkdir(parents=True)
        RunFolder(one.folder).write_config(one.run)
    half = RunFolder(given[3].folder)
    half.write_status(RunStatus("failed", reason="the disk was full"))
    (half.path / "results.parquet").write_bytes(b"PAR1 and no more")
    (half.path / "summary.json").write_text('{"parame')
    (folder / "runs" / "empty").mkdir()
    broken = folder / "runs" / "broken"
    broken.mkdir()
    (broken / "config.yaml").write_text("task: [")
    return folder


def test_one_row_a_run_whatever_state_it_is_in(folder):
    runs = collect(folder).sort("seed")
    assert runs["seed"].to_list() == [0, 1, 2, 3]
    assert runs["status"].to_list() == ["finished", "finished", "waiting", "failed"]
    assert runs["accuracy"].is_null().to_list() == [False, False, True, True]
    assert runs["reason"][3] == "the disk was full"
    assert dict(runs.select(*COLUMNS).schema) == COLUMNS


def test_config_fields_are_columns_under_their_dotted_names(folder):
    runs = collect(folder)
    assert set(runs["training.batch_size"]) == {32}
    assert set(runs["task.vocab_size"]) == {16}
    assert set(runs["model.mixers"]) == {'["attention"]'}


def test_results_and_histories_are_stacked_under_their_run(folder):
    runs = collect(folder)
    results = collect_results(folder)
    finished = runs.filter(status="finished")
    assert set(results["run_id"]) == set(finished["run_id"])
    test = results.filter(split="test", slice="all").select("run_id", "accuracy")
    joined = finished.join(test, on="run_id", suffix="_found")
    assert joined["accuracy"].to_list() == joined["accuracy_found"].to_list()
    history = collect_history(folder)
    assert set(history["split"]) == {"train", "validation"}
    assert history.columns[0] == "run_id"


def test_a_folder_of_experiments_and_a_single_run_are_collected_too(folder):
    assert len(collect(folder.parent)) == 4
    run = collect(folder).filter(status="finished").row(0, named=True)
    assert collect(run["path"])["run_id"].to_list() == [run["run_id"]]


def test_an_empty_folder_has_no_rows_but_all_columns(tmp_path):
    assert collect(tmp_path).columns == list(COLUMNS)
    assert len(collect_results(tmp_path)) == len(collect_history(tmp_path)) == 0


def test_a_folder_that_is_not_there_is_said_so(tmp_path):
    with pytest.raises(UserError, match="is not there"):
        collect(tmp_path / "none")
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="is a file, not a folder of runs"):
        collect(tmp_path / "file")


def test_fields_that_are_words_in_one_run_and_numbers_in_another_share_a_column(tmp_path):
    for stop_at, name in ((None, "a"), (0.5, "b")):
        (one,) = jobs(tmp_path / name, training__stop_at=stop_at)
        one.folder.mkdir(parents=True)
        RunFolder(one.folder).write_config(one.run)
    assert sorted(collect(tmp_path)["training.stop_at"].to_list(), key=str) == [0.5, None]


def test_a_run_is_found_by_its_path_or_the_beginning_of_its_id(folder):
    runs = collect(folder).filter(status="finished")
    run_id, path = runs.select("run_id", "path").row(0)
    assert find_run(path, folder.parent / "none").path.name == run_id
    assert find_run(run_id, folder).path.name == run_id
    assert find_run(run_id[:-2], folder.parent).path.name == run_id
    with pytest.raises(UserError, match="is the beginning of 4 runs"):
        find_run("attention", folder)
    with pytest.raises(UserError, match="no run 'hyena-1' in"):
        find_run("hyena-1", folder)


def test_runs_of_one_point_share_it(folder):
    assert collect(folder)["point"].n_unique() == 1
    assert isinstance(collect(folder), pl.DataFrame)


def test_a_run_whose_config_cannot_be_read_is_left_out_and_the_log_says_so(folder, caplog):
    collect(folder)
    (record,) = caplog.records
    assert "a run is left out: " in record.getMessage()
    assert "broken/config.yaml is not valid YAML" in record.getMessage()


def test_a_folder_that_is_no_run_is_said_so(tmp_path):
    with pytest.raises(UserError, match=r"is a folder without a config\.yaml, so it is no run"):
        find_run(str(tmp_path), tmp_path / "none")
