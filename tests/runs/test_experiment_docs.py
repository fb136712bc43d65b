"""What the README and the docs tell a user to run is run: page after page, in one folder."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import polars as pl
import pytest
import yaml

from bestiary.cli.main import main
from bestiary.runs.config import Experiment
from bestiary.runs.preset import preset_path
from bestiary.runs.sweep import expand
from bestiary.runs.tuning import read_tuning

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs"
READ = ("README.md", "docs/own-mixer.md", "docs/experiments.md", "docs/sweeps.md", "docs/report.md")
"""In the order in which the README names them."""
SMALL = shlex.split(
    "--seeds 1 --set task.train_examples=128 --set task.validation_examples=64 "
    "--set task.test_examples=64 --set training.epochs=1"
)
"""What makes seconds of the quick preset, the same for each of its commands."""


def fences(page: str) -> list[tuple[str, str]]:
    """Language (and what stands behind it) and text of each fenced block of a page."""
    return re.findall(r"```([^\n]*)\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)


FENCES = [*fences("docs/experiments.md"), *fences("docs/sweeps.md")]
CONFIG = next(text for language, text in FENCES if language == "yaml")


def commands(page: str) -> list[list[str]]:
    """The words of each command of a page that works; `make run` is one."""
    lines = [
        line
        for language, text in fences(page)
        if language in ("", "sh", "console")
        for line in text.splitlines()
    ]
    found = [shlex.split(line, comments=True) for line in lines if line.startswith("bestiary ")]
    made = [["bestiary", "recall", "--preset", "quick"] for line in lines if "make run" in line]
    return [words[1:] for words in (*made, *found)]


def as_run_here(words: list[str]) -> list[str]:
    """A command with run ids in place of RUN, the user's class found, the preset made small."""
    ids = sorted(path.name for path in Path("results/mine/runs").glob("*"))
    words = [ids.pop() if word == "RUN" else word for word in words]
    words = [a_hyena(Path(word).parent) if word.endswith("/RUN") else word for word in words]
    words += ["--size", "4,1"] if words == ["bounds"] else []
    words = [word.replace("mypackage.module:MyMixer", "mixers:Decay") for word in words]
    if "quick" in words and "--list" not in words:
        words += SMALL
        words += ["--no-report"] if words[0] == "recall" else []
    return words


def a_hyena(folder: Path) -> str:
    return str(sorted(folder.glob("hyena-*"))[0])


@pytest.mark.slow
def test_every_command_of_the_pages_works_one_after_the_other(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    opened: list[str] = []
    monkeypatch.setattr("typer.launch", opened.append)
    Path("mine.yaml").write_text(CONFIG)
    for title, text in fences("docs/own-mixer.md"):
        if title == 'python title="mixers.py"':
            Path("mixers.py").write_text(text)
    count = 0
    for page in READ:
        for words in commands(page):
            if words[0] == "check":
                # It leaves nothing, and has tests of its own.
                continue
            asked = as_run_here(words)
            assert main(asked) == 0, (page, asked, capsys.readouterr().err)
            count += 1
    assert count > 20
    assert len(opened) == 1
    capsys.readouterr()

    (code,) = [text for language, text in FENCES if language == "python"]
    names: dict[str, object] = {}
    exec(compile(code, "experiments.md", "exec"), names)
    assert len(names["runs"]) == 9
    printed = dict(re.findall(r"│ (\S+) +┆ ([\d.]+) +│", capsys.readouterr().out))
    stored: dict[str, list[float]] = {}
    for path in Path("results/mine/runs").glob("*/results.parquet"):
        (accuracy,) = pl.read_parquet(path).filter(split="test", slice="all")["accuracy"]
        stored.setdefault(path.parent.name.rpartition("-")[0], []).append(accuracy)
    assert set(printed) == {"attention", "hyena", "short_conv+attention"}
    assert len(set(printed.values())) > 1
    for label, accuracies in stored.items():
        assert len(accuracies) == 3
        assert float(printed[label]) == pytest.approx(sum(accuracies) / 3, abs=1e-6)


@pytest.mark.parametrize(
    "text", [text for language, text in FENCES if language == "yaml" and text != CONFIG]
)
def test_every_piece_of_yaml_on_the_pages_is_part_of_a_config(text):
    piece = yaml.safe_load(text)
    experiment = Experiment.read({**yaml.safe_load(CONFIG.replace("3e-3", "0.003")), **piece}, "x")
    assert expand(experiment)


def test_the_rates_of_quick_are_made_by_the_command_of_the_page():
    command = read_tuning(preset_path("quick").with_name("quick.tuning.yaml")).command
    assert f"\n{command} --write src/bestiary/runs" in (PAGES / "sweeps.md").read_text("utf-8")


def test_the_table_of_keys_has_every_key_of_a_config():
    text = (PAGES / "experiments.md").read_text("utf-8")
    for key in Experiment.model_fields:
        assert f"| `{key}` |" in text
