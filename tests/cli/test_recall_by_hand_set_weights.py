from __future__ import annotations

import json
from pathlib import Path

import pytest

from bestiary.cli.main import main

CONFIG = """
task: {name: mqar, vocab_size: 32, segments: [{length: 32, pairs: 4}],
       train_examples: 64, validation_examples: 30, test_examples: 50}
"""
EXACT = ["compiled:attention", "compiled:autocorrelation", "compiled:lookup"]
SHORT = "compiled:lookup,slots=1,full=keep"


def recall(*models: str) -> int:
    named = [part for model in models for part in ("--model", model)]
    return main(["recall", "by_hand.yaml", "-w", "1", "--no-mixers", *named, "--json"])


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
    assert "Elements of a compiled model are single bits" in page


def test_an_option_that_no_solver_has_is_refused_before_anything_runs(capsys):
    assert recall("compiled:lookup,slot=2") == 2
    said = capsys.readouterr().err
    assert "has no option 'slot'; did you mean 'slots'?" in said
    assert recall("compiled:lookup,slots=0") == 2
    assert "slots is 0; it must be at least 1" in capsys.readouterr().err
    assert not Path("results").exists()
