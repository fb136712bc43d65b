from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from trained_runs import trained

from bestiary.cli.main import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained(tmp_path_factory.mktemp("report"))


def test_the_folder_alone_makes_the_report_again(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "Guessing among the K pairs drawn scores 1/K: 1/2 = 0.500." in " ".join(out.split())
    assert "attention" in out and "short_conv" in out
    assert f"report: {folder / 'report.html'}" in out
    for name in ("report.html", "table.csv", "table.tex", "table.parquet", "plots/recall.png"):
        assert (folder / name).stat().st_size > 0


def test_json_holds_table_verdict_and_paths(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(folder), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["table"] == pl.read_parquet(said["paths"]["parquet"]).to_dicts()
    assert {row["mixer"]: row["unfinished"] for row in said["table"]} == {
        "attention": 0, "short_conv": 0, "based": 1,
    }  # fmt: skip
    assert said["verdict"][0]["kind"] == "headline"
    assert all(Path(path).exists() for path in said["paths"]["plots"])


def test_open_shows_the_page(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown: list[str] = []
    monkeypatch.setattr("typer.launch", shown.append)
    assert main(["report", str(folder), "--open"]) == 0
    assert shown == [(folder / "report.html").resolve().as_uri()]


@pytest.mark.parametrize(
    ("made", "said"),
    [(False, "is not there"), (True, "holds no runs (accepted: the --out of an experiment")],
)
def test_a_folder_without_runs_ends_with_two_and_one_sentence(
    made: bool, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = tmp_path / "wrong"
    if made:
        wrong.mkdir()
    assert main(["report", str(wrong)]) == 2
    captured = capsys.readouterr()
    assert said in captured.err and len(captured.err.strip().splitlines()) == 1
    assert captured.out == ""
