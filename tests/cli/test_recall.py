from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from small_recall import TINY, write_config

from bestiary.cli.main import main
from bestiary.runs.store import collect


@pytest.fixture(autouse=True)
def config(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "own_recall_mixers", raising=False)
    return write_config(tmp_path)


def refused(capsys, *arguments: str) -> str:
    """The one line that a wrong command prints on stderr, exit code 2."""
    assert main([str(argument) for argument in arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("bestiary: ")
    assert captured.err.count("\n") == 1
    return captured.err


@pytest.mark.slow
def test_recall_trains_prints_the_table_and_leaves_a_report(capsys):
    assert main(["recall", "tiny.yaml"]) == 0
    out = Path("results/tiny")
    printed = capsys.readouterr()
    assert "attention" in printed.out
    assert "short_conv" in printed.out
    assert "attention seed 0: finished in" in printed.err
    assert "(2 of 2)" in printed.err
    for name in ("report.html", "table.csv", "table.tex", "experiment.yaml"):
        assert (out / name).stat().st_size > 0
    assert list(out.glob("plots/*.png"))
    assert set(pl.read_csv(out / "table.csv")["mixer"]) == {"attention", "short_conv"}

    # The same command once more trains nothing and says the same.
    before = {path: path.stat().st_mtime_ns for path in out.glob("runs/*/status.json")}
    assert main(["recall", "tiny.yaml", "--no-report", "--json"]) == 0
    again = capsys.readouterr()
    assert "2 of 2 runs are done already" in again.err
    rows = json.loads(again.out)
    assert {row["run_id"]: row["accuracy"] for row in rows} == dict(
        collect(out).select("run_id", "accuracy").rows()
    )
    assert {path: path.stat().st_mtime_ns for path in out.glob("runs/*/status.json")} == before


@pytest.mark.slow
def test_a_compiled_model_stands_beside_trained_ones_in_one_table(capsys):
    chosen = ["--mixer", "short_conv", "--model", "compiled:all-pairs", "--seeds", "2"]
    assert main(["recall", "tiny.yaml", *chosen]) == 0
    printed = capsys.readouterr()
    assert "compiled:all-pairs: finished in" in printed.err
    assert "compiled:all-pairs answers every query right" in printed.out.replace("\n  ", " ")
    table = pl.read_csv("results/tiny/table.csv")
    assert dict(table.select("mixer", "weights").rows()) == {
        "short_conv": "trained",
        "compiled:all-pairs": "compiled",
    }
    assert table.filter(weights="compiled")["accuracy"].to_list() == [1.0]
    assert "compiled:all-pairs" in Path("results/tiny/report.html").read_text(encoding="utf-8")
    # The folder alone is enough for every command that reads or goes on with it.
    for command in (["report"], ["runs"], ["resume"]):
        assert main([*command, "results/tiny"]) == 0
        capsys.readouterr()


def test_a_compiled_model_that_is_not_known_is_refused_with_a_guess(capsys):
    said = refused(capsys, "recall", "tiny.yaml", "--model", "compiled:al-pairs", "--list")
    assert "unknown compiled model 'al-pairs'; did you mean 'all-pairs'?" in said


@pytest.mark.slow
def test_a_run_that_fails_is_named_the_others_count_and_the_answer_is_no(capsys):
    command = ["recall", "tiny.yaml", "--no-report", "-m", "attention"]
    assert main([*command, "-m", "own_recall_mixers:Failing"]) == 1
    printed = capsys.readouterr()
    assert "1 of 2 runs gave no result, Failing-" in printed.err
    assert "RuntimeError: out of luck" in printed.err
    assert "Traceback" not in printed.err
    assert sorted(collect("results/tiny")["status"]) == ["failed", "finished"]


def test_the_runs_can_be_listed_and_are_not_trained(capsys):
    assert main(["recall", "tiny.yaml", "--list", "--seeds", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["0", "1", "2", "3"]
    assert [line.split("\t")[2] for line in lines] == ["seed 0", "seed 1"] * 2
    assert main(["recall", "tiny.yaml", "--list", "--seeds", "2", "--shard", "2/2"]) == 0
    assert capsys.readouterr().out.splitlines() == [lines[1], lines[3]]
    assert main(["recall", "tiny.yaml", "--list", "--seeds", "2", "--only", "2"]) == 0
    assert capsys.readouterr().out.splitlines() == [lines[2]]
    assert not Path("results").exists()


def test_a_part_of_fewer_runs_than_parts_is_empty_and_no_mistake(capsys):
    shard = ["recall", "tiny.yaml", "--seeds", "1", "--shard", "90/99"]
    assert main(shard) == 0
    said = capsys.readouterr().err
    assert "--shard 90/99 is empty: " in said and "in all, fewer than parts" in said
    assert main([*shard, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    assert not Path("results").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "neither a config file nor --preset was given (accepted: one of them,"),
        (("none.yaml",), "there is no file 'none.yaml'"),
        ((".",), "'.' is a directory; give a YAML file in it"),
        (("bad.yaml",), "bad.yaml is not valid YAML at line 3"),
        (("--preset", "quik"), "unknown preset 'quik'; did you mean 'quick'?"),
        (("tiny.yaml", "--preset", "quick"), "both a config file and --preset"),
        (("tiny.yaml", "--set", "model.d_modle=3"), "did you mean 'd_model'?"),
        (("tiny.yaml", "--set", "model.d_model=wide"), "model.d_model is 'wide'; it must be"),
        (("tiny.yaml", "--set", "model.d_model"), "sets nothing"),
        (("tiny.yaml", "--set", "task.segments.0.pairs=9"), "9 pairs do not fit in length 16"),
        (("tiny.yaml", "--set", "sweep.grid.model.d_model=[]"), "must be a list of one value"),
        (("tiny.yaml", "--seeds", "0"), "--seeds is 0, which trains nothing"),
        (("tiny.yaml", "--workers", "0"), "workers"),
        (("tiny.yaml", "--wrokers", "2"), "--wrokers"),
        (("tiny.yaml", "--mixer", "hyna"), "unknown mixer 'hyna'; did you mean 'hyena'?"),
        (("tiny.yaml", "-m", "own_recall_mixers:Man"), "has no class 'Man'; did you mean 'Mean'"),
        (("tiny.yaml", "-m", "nowhere:Mean"), "cannot import module 'nowhere'"),
        (("tiny.yaml", "-m", "own_recall_mixers:Prophet"), "Prophet"),
        (("tiny.yaml", "-m", "own_recall_mixers:Narrow"), "Narrow"),
        (("tiny.yaml", "-m", "own_recall_mixers:Picky"), "stubborn"),
        (("tiny.yaml", "--set", "sweep.models=[{name: hyena, ordr: 3}]"), "mean 'order'?"),
        (("tiny.yaml", "--only", "7"), "no run of this experiment is '7'"),
        (("tiny.yaml", "--shard", "3/2"), "there is no part 3/2"),
        (("tiny.yaml", "--out", "tiny.yaml"), "is a file; --out must be a folder"),
        (("tiny.yaml", "--set", "sinks=[mlflow]"), "sinks.0.name is 'mlflow'"),
        (("tiny.yaml", "--set", "training.device=tpu"), "tpu"),
    ],
)
def test_a_wrong_question_gets_one_sentence_and_nothing_is_written(arguments, sentence, capsys):
    Path("bad.yaml").write_text("task: mqar\nmodel: {d_model: 8\n")
    before = sorted(path.name for path in Path().iterdir())
    assert sentence in refused(capsys, "recall", *arguments)
    left = [path.name for path in Path().iterdir() if path.name != "__pycache__"]
    assert sorted(left) == before


def test_a_folder_that_may_not_be_written_is_one_sentence(capsys, monkeypatch):
    # As another user's folder: root, who may run these tests, may write anywhere.
    def forbidden(self, *arguments, **options):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr("pathlib.Path.mkdir", forbidden)
    said = refused(capsys, "recall", "tiny.yaml", "--out", "elsewhere")
    assert "'elsewhere' may not be written by this user" in said


def test_debug_shows_where(capsys):
    assert main(["recall", "none.yaml", "--debug"]) == 2
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.slow
def test_ctrl_c_says_how_to_go_on_and_resume_does(tmp_path, capsys):
    text = TINY.replace("[attention, short_conv]", "['own_recall_mixers:Slow']")
    write_config(tmp_path, text.replace("epochs: 2", "epochs: 8"))
    command = [sys.executable, "-m", "bestiary", "recall", "tiny.yaml", "--no-report"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    deadline = time.monotonic() + 120
    while not list(tmp_path.glob("results/tiny/runs/*/checkpoint/state.json")):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    # As a terminal does it: to every process of the group.
    os.killpg(process.pid, signal.SIGINT)
    rest = process.stderr.read().splitlines()
    assert process.wait(60) == 130
    assert rest[-1] == (
        "bestiary: interrupted; what was trained is kept, and "
        "`bestiary resume results/tiny` goes on"
    )
    assert not any("Traceback" in line for line in rest)
    assert collect("results/tiny")["status"].to_list() == ["interrupted"]

    assert main(["resume", "results/tiny", "--no-report"]) == 0
    (row,) = collect("results/tiny").iter_rows(named=True)
    assert (row["status"], row["step"]) == ("finished", 32)
    assert "1 finished: results/tiny" in capsys.readouterr().out
