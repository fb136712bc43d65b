from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from bestiary.cli.main import main

CONFIG = """
task: {name: mqar, vocab_size: 32, segments: [{length: 32, pairs: 4}],
       train_examples: 64, validation_examples: 30, test_examples: 50}
"""
EXACT = ["compiled:attention", "compiled:autocorrelation", "compiled:lookup"]
SHORT = "compiled:lookup,slots=1"


OTHER_TASKS = {
    "compiled:attention": (
        "{name: induction, vocab_size: 8, segments: [{length: 12}, {length: 20, train: 0}]",
        ["length 12", "length 20"],
        "Guessing among the tokens shown scores",
    ),
    "compiled:selective-copy": (
        "{name: selective-copy, vocab_size: 8, segments: [{length: 12, items: 3}]",
        ["length 12, 3 items"],
        "Guessing among the items shown scores",
    ),
    "compiled:autocorrelation": (
        "{name: associative-recall, vocab_size: 16, segments: [{pairs: 3}]",
        ["length 7, 3 pairs"],
        "Guessing among the K pairs drawn scores 1/K: 1/3 = 0.333.",
    ),
}


def recall(
    *models: str, config: str = "by_hand.yaml", others: Sequence[str] = ("--no-mixers",)
) -> int:
    named = [part for model in models for part in ("--model", model)]
    return main(["recall", config, "-w", "1", *others, *named, "--json"])


@pytest.fixture(autouse=True)
def config(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("by_hand.yaml").write_text(CONFIG)


@pytest.mark.slow
def test_solvers_are_scored_and_shown_with_their_state(capsys):
    assert recall(*EXACT, SHORT) == 0
    rows = {row["label"]: row for row in json.loads(capsys.readouterr().out)}
    assert {name: rows[name]["accuracy"] for name in rows} == {
        **dict.fromkeys(EXACT, 1.0),
        SHORT: 0.25,
    }
    # A slot has a key and a value of 4 bits each, and a key of 4 waits for its value.
    assert rows[SHORT]["state_size"] == 12
    assert rows["compiled:autocorrelation"]["state_size"] == 32 * 5
    # Two layers of keys and values; 5 bits of tokens twice, of positions twice, and one feature.
    assert rows["compiled:attention"]["state_size"] == 2 * 2 * 42 * 32
    page = Path("results/by_hand/report.html").read_text()
    assert "its 12 bits of state hold 1 pair with their keys, where all 4 take 36 bits" in page
    assert "with weights set by hand: 1 layer, width 12." in page
    assert "are single bits, with the dashed line as their ceiling" in page
    assert "Elements of compiled:attention are numbers of 32 bits" in page


@pytest.mark.slow
@pytest.mark.parametrize("model", OTHER_TASKS)
def test_other_tasks_are_trained_and_solved_by_hand_in_one_page(capsys, model):
    task, settings, guessing = OTHER_TASKS[model]
    Path("other.yaml").write_text(
        f"task: {task}, train_examples: 128, validation_examples: 30, test_examples: 50}}\n"
        "model: {d_model: 16}\ntraining: {epochs: 1, batch_size: 64}\nseeds: [0]\n"
    )
    assert recall(model, config="other.yaml", others=["--mixer", "attention"]) == 0
    rows = {row["label"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows[model]["accuracy"] == 1.0
    assert rows["attention"]["status"] == "finished"
    page = Path("results/other/report.html").read_text()
    text = re.sub(r"<(script|style).*?</\1>", "", page, flags=re.DOTALL)
    assert guessing in text
    assert all(setting in text for setting in settings)
    # Tags hold the table as CSV, whose columns are those of all tasks.
    assert ("pair" in re.sub(r"<[^>]+>", " ", text)) == ("pairs" in settings[0])


def test_a_task_that_no_compiled_model_solves_is_refused_before_anything_runs(capsys):
    Path("other.yaml").write_text("task: {name: selective-copy}\n")
    assert recall("compiled:sort", config="other.yaml") == 2
    said = capsys.readouterr().err
    assert "compiled:sort cannot solve selective-copy (accepted: the tasks mqar, " in said
    assert len(said.strip().splitlines()) == 1
    assert not Path("results").exists()


def test_an_option_that_no_solver_has_is_refused_before_anything_runs(capsys):
    assert recall("compiled:lookup,slot=2") == 2
    said = capsys.readouterr().err
    assert "has no option 'slot'; did you mean 'slots'?" in said
    assert recall("compiled:lookup,slots=0") == 2
    assert "slots is 0; it must be at least 1" in capsys.readouterr().err
    assert not Path("results").exists()
