from __future__ import annotations

import json

import pytest
from trained_runs import trained

from bestiary.cli.main import main
from bestiary.runs.store import collect_results


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("show"))


def test_a_run_is_shown_by_the_beginning_of_its_id(folder, capsys):
    assert main(["show", "attention", "--in", str(folder)]) == 0
    out = capsys.readouterr().out
    for part in ("status: finished", "vocab_size: 16", "parameters:", "torch:", "segment"):
        assert part in out


def test_a_run_is_shown_as_json_by_its_path(folder, capsys):
    (path,) = folder.glob("runs/short_conv-*")
    assert main(["show", str(path), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["config"]["model"]["mixers"] == ["short_conv"]
    assert shown["status"]["status"] == "finished"
    assert {row["split"] for row in shown["results"]} == {"validation", "test"}
    assert shown["environment"]["seed"] == 0


def test_a_run_without_results_is_shown_as_far_as_it_came(folder, capsys):
    assert main(["show", "based", "--in", str(folder)]) == 0
    assert "reason: stopped half way" in capsys.readouterr().out


def test_a_run_that_is_not_there_is_one_sentence(folder, capsys):
    assert main(["show", "atention", "--in", str(folder)]) == 2
    assert "no run 'atention' in" in capsys.readouterr().err


def test_every_number_of_a_slice_is_shown_whole_on_80_columns(folder, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["show", "attention", "--in", str(folder)]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    (path,) = folder.glob("runs/attention-*")
    for row in collect_results(path).iter_rows(named=True):
        numbers = [str(row["queries"]), f"{row['loss']:.3f}", f"{row['accuracy']:.3f}"]
        assert any(all(n in line.split() for n in numbers) for line in out.splitlines())
