from __future__ import annotations

import json

import pytest
from trained_runs import trained

from bestiary.cli.main import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("runs"))


def test_runs_are_listed_with_status_accuracy_and_reason(folder, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["runs", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert sum("finished" in line for line in lines) == 2
    assert sum("interrupted" in line and "half way" in line for line in lines) == 1


def test_runs_can_be_chosen_by_status_and_printed_as_json(folder, capsys):
    assert main(["runs", str(folder), "--status", "interrupted", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["status"] == "interrupted"
    assert row["accuracy"] is None
    assert main(["runs", str(folder), "--status", "failed"]) == 0
    assert capsys.readouterr().out == f"no failed runs in {folder}\n"


def test_wrong_folders_and_statuses_are_one_sentence(folder, capsys):
    assert main(["runs", str(folder / "none")]) == 2
    assert "is not there" in capsys.readouterr().err
    assert main(["runs", str(folder), "--status", "finish"]) == 2
    assert "unknown status 'finish'; did you mean 'finished'?" in capsys.readouterr().err


def test_a_narrow_terminal_shows_the_whole_status_and_the_reason_below(
    tmp_path, capsys, monkeypatch
):
    from bestiary.cli import sweeping

    run_id = "short_conv+attention-0123456789ab"
    row = {"run_id": run_id, "status": "interrupted", "seed": 0, "d_model": 256}
    row |= {"learning_rate": 0.003, "accuracy": None, "validation_accuracy": 0.5, "seconds": 140.0}
    row["reason"] = "SIGTERM was received at step 582"
    monkeypatch.setattr(sweeping, "run_rows", lambda folder: [row])
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["runs", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == ["run", "status", "seed", "width", "rate", "test", "valid", "time"]
    assert lines[1].split() == [
        run_id, "interrupted", "0", "256", "3e-3", "–", "0.500", "2.3", "min",
    ]  # fmt: skip
    assert lines[2] == f"{run_id} interrupted: SIGTERM was received at step 582"
