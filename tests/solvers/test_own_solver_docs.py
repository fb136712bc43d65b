"""What docs/own-solver.md tells a user to do, done as a user would: in a folder, by command."""

from __future__ import annotations

import json
import re
import shlex
import sys

import numpy as np
import pytest
from pages import page

from bestiary.cli.main import main
from bestiary.runs.request import read_experiment
from bestiary.solvers.registry import SolverSpec
from bestiary.solvers.usable import NEEDED, usable_model
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.registry import build_task
from bestiary.training import evaluate

PAGE = page("own-solver.md")
COMMANDS = re.findall(r"^(?:\$ )?bestiary (.*)$", PAGE, re.MULTILINE)
QUICK = build_task(read_experiment(preset="quick").plain()["task"])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A user's folder with the page's files in it."""
    files = re.findall(r'```python title="([^"]+)"\n(.*?)```', PAGE, re.DOTALL)
    assert [name for name, _ in files] == ["heads.py", "near.py"]
    for name, code in files:
        (tmp_path / name).write_text(code, encoding="utf-8")
        monkeypatch.delitem(sys.modules, name.removesuffix(".py"), raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)


def shown(label):
    """Accuracy, all correct, state and parameters of a row on the page, a width before, as text."""
    (row,) = re.findall(rf"^compiled:{label} +(.*) \S+ s$", PAGE, re.M)
    return row.split()


def mistaken_command():
    (found,) = [command for command in COMMANDS if "sharpnes=" in command]
    return found


def share_within(task, reach):
    """Of the queries, how many have their key at most ``reach`` tokens above."""
    gap = np.concatenate(
        [
            batch.info["gap"].ravel()[batch.positions]
            for number in range(len(task.stream("test").segments))
            for batch in [task.arrays("test", number)]
        ]
    )
    return (gap <= reach).mean()


@pytest.mark.slow
def test_the_heads_of_the_page_are_scored_by_its_command(capsys):
    small = ["--set=task.test_examples=50", "--set=task.validation_examples=4", "-w", "1"]
    command = [*shlex.split(COMMANDS[0]), *small]
    assert main([*command, "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    accuracy, all_correct, state, parameters = shown("Heads")
    assert (row["label"], row["accuracy"]) == ("compiled:Heads", float(accuracy))
    assert row["all_correct"] == float(all_correct) == 1
    assert (row["d_model"], row["parameters"]) == (32, int(parameters)) == (32, 64)
    # Keys and values of 64 positions, 32 numbers each.
    assert row["state_size"] == 2 * 64 * 32 and state == "4.1k"
    assert main(command) == 0
    (notes,) = re.findall(r"^In every row: width 32.*?(?=\n```)", PAGE, re.M | re.DOTALL)
    assert " ".join(notes.split()) in " ".join(capsys.readouterr().out.split())
    # Followed in order, when the folder of the first experiment is there.
    assert main(shlex.split(mistaken_command())) == 2
    assert capsys.readouterr().err in PAGE


@pytest.mark.parametrize("reach", [16, 32])
def test_the_circuit_of_the_page_answers_what_is_asked_within_its_reach(reach):
    small = MQAR(
        vocab_size=32,
        segments=({"length": 64, "pairs": 4, "test": 200},),
        validation_examples=1,
        seed=1,
    )
    model = usable_model(SolverSpec("near:Near", {"reach": reach}), small)
    assert evaluate(model, small, "test").total.accuracy == share_within(small, reach)
    width, accuracy, _, state, parameters = shown("Near" if reach == 16 else "Near,reach=32")
    assert int(width) == model.size.width
    assert float(accuracy) == round(share_within(QUICK, reach), 3)
    for text, number in ((state, model.state_size(64)), (parameters, model.size.parameters)):
        assert float(text.removesuffix("k")) == pytest.approx(number / 1000, rel=0.005)


def test_it_is_explained_as_shown_and_mistakes_are_said_as_shown(capsys):
    (explain,) = [command for command in COMMANDS if command.startswith("explain")]
    assert main(shlex.split(explain)) == 0
    (told,) = re.findall(r"```text\n(Row .*?)```", PAGE, re.DOTALL)
    assert capsys.readouterr().out == told
    assert main(shlex.split(mistaken_command())) == 2
    assert capsys.readouterr().err in PAGE


def test_the_contract_of_the_page_names_all_that_is_needed():
    first = re.findall(r"^\| `([^`]+)` \|", PAGE, re.MULTILINE)
    assert set(NEEDED.values()) <= set(first)
