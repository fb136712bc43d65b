from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_recall import write_config

from bestiary.cli.main import main
from bestiary.runs.store import collect
from bestiary.runs.tuning import read_tuning


@pytest.mark.slow
def test_tune_writes_a_rate_for_each_model_that_recall_then_uses(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_config(tmp_path)
    command = ["tune", "tiny.yaml", "--rates", "1e-3,1e-2", "--write", "rates.yaml", "--json"]
    assert main(command) == 0
    printed = json.loads(capsys.readouterr().out)
    tuning = read_tuning(tmp_path / "rates.yaml")
    assert tuning.plain() == printed
    assert tuning.command == "bestiary tune tiny.yaml --rates 1e-3,1e-2"
    assert read_tuning(tmp_path / "results" / "tiny-tuning" / "tuning.yaml") == tuning

    runs = collect("results/tiny-tuning")
    assert len(runs) == 4
    for label, tuned in tuning.models.items():
        rows = runs.filter(label=label).sort("validation_accuracy", descending=True)
        best = rows["validation_accuracy"][0]
        assert tuned.validation_accuracy == best
        assert tuned.rate in rows.filter(validation_accuracy=best)["learning_rate"]
        assert len(tuned.points) == 2

    # Runs at the chosen rates are of the same config, so their ids are those of the grid.
    assert main(["recall", "tiny.yaml", "--set", "tuning=rates.yaml", "--list"]) == 0
    listed = {line.split("\t")[1] for line in capsys.readouterr().out.splitlines()}
    chosen = {
        row["run_id"]
        for row in runs.iter_rows(named=True)
        if row["learning_rate"] == tuning.rates()[row["label"]]
    }
    assert listed == chosen


@pytest.mark.slow
def test_another_mixer_and_more_rates_are_added_to_the_folder_and_its_file(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    write_config(tmp_path)
    first = ["tune", "tiny.yaml", "--mixer", "attention", "--rates", "1e-3,1e-2"]
    assert main(first) == 0
    printed = capsys.readouterr()
    assert "attention rate 1e-3 seed 0: started" in printed.err
    assert read_tuning(Path("results/tiny-tuning/tuning.yaml")).models["attention"].window.text in (
        printed.out
    )
    # Of two rates the best one is an end, unless what it has is guessing.
    assert sum(line.startswith("! ") for line in printed.out.splitlines()) == 1

    second = ["tune", "tiny.yaml", "--mixer", "short_conv", "--rates", "1e-3,1e-2"]
    assert main(second) == 2
    assert "another --out, or --force to add to it" in capsys.readouterr().err
    assert main([*second, "--force", "--write", "rates.yaml"]) == 0
    capsys.readouterr()
    tuning = read_tuning(tmp_path / "rates.yaml")
    assert set(tuning.models) == {"attention", "short_conv"}
    assert tuning.command == (
        "bestiary tune tiny.yaml --rates 1e-3,1e-2 --mixer attention && "
        "bestiary tune tiny.yaml --rates 1e-3,1e-2 --mixer short_conv --force"
    )
    assert main(["recall", "tiny.yaml", "--set", "tuning=rates.yaml", "--list"]) == 0
    assert "no rate" not in capsys.readouterr().err

    more = ["tune", "tiny.yaml", "--mixer", "attention", "--rates", "3e-2", "--force"]
    assert main(more) == 0
    tuning = read_tuning(tmp_path / "results" / "tiny-tuning" / "tuning.yaml")
    tried = {name: [point.rate for point in t.points] for name, t in tuning.models.items()}
    assert tried == {"attention": [1e-3, 1e-2, 3e-2], "short_conv": [1e-3, 1e-2]}


def test_rates_that_are_none_are_one_sentence(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_config(tmp_path)
    assert main(["tune", "tiny.yaml", "--rates", "fast"]) == 2
    assert "--rates is 'fast'; it must be numbers such as 1e-3,1e-2" in capsys.readouterr().err


@pytest.mark.parametrize("path", [".", "nowhere/rates.yaml", "tiny.yaml/rates.yaml"])
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_trained(
    path, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    write_config(tmp_path)
    assert main(["tune", "tiny.yaml", "--write", path]) == 2
    assert f"--write is '{path}'; it must be a file in a folder" in capsys.readouterr().err
    assert not (tmp_path / "results").exists()
