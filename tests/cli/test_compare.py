from __future__ import annotations

import json

import pytest
from trained_runs import trained

from bestiary.cli.main import main
from bestiary.runs.store import collect


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("compare"))


def test_runs_are_compared_by_what_differs_in_their_configs_and_metrics(folder, capsys):
    command = ["compare", "attention", "short_conv", "based", "--in", str(folder), "--json"]
    assert main(command) == 0
    compared = json.loads(capsys.readouterr().out)
    assert compared["differences"] == {
        "model.mixers": ['["attention"]', '["short_conv"]', '["based"]']
    }
    accuracies = dict(collect(folder).select("run_id", "accuracy").rows())
    assert compared["metrics"]["accuracy"] == [accuracies[run] for run in compared["runs"]]
    assert compared["metrics"]["status"] == ["finished", "finished", "interrupted"]


def test_runs_are_compared_in_a_table(folder, capsys):
    assert main(["compare", "attention", "based", "--in", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "model.mixers" in out
    assert "—" in out


def test_a_run_alone_has_nothing_to_be_compared_with(folder, capsys):
    assert main(["compare", "attention", "--in", str(folder)]) == 2
    assert "give two or more" in capsys.readouterr().err


def test_a_run_whose_config_cannot_be_read_is_not_compared(folder, tmp_path, capsys):
    (path,) = folder.glob("runs/attention-*")
    (tmp_path / "config.yaml").write_text("task: [")
    assert main(["compare", str(path), str(tmp_path)]) == 2
    assert "config.yaml is not valid YAML" in capsys.readouterr().err
