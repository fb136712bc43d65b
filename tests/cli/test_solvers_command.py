from __future__ import annotations

import json

from bestiary.cli.main import main
from bestiary.solvers.registry import SOLVERS

TASK = "mqar,vocab_size=8,length=8,pairs=1"


def listed(capsys, *options):
    assert main(["solvers", *options, "--json"]) == 0
    return {row["name"]: row for row in json.loads(capsys.readouterr().out)}


def test_every_solver_is_listed_with_its_size_on_the_task(capsys):
    rows = listed(capsys, "--task", TASK)
    assert list(rows) == list(SOLVERS)
    # 3 bits a token: ⌈log2 3⌉ + 3 layers, and the codes of 8 tokens.
    assert (rows["all-pairs"]["layers"], rows["all-pairs"]["state_size"]) == (5, 24)
    # The keys 1 to 3, each of 2 bits beside a value of 2, and one that waits for its value.
    assert rows["lookup"]["state_size"] == 3 * 4 + 2
    assert rows["all-pairs"]["options"] == {"repeat": None}


def test_a_solver_that_cannot_do_the_task_has_no_size_and_says_why(capsys):
    rows = listed(capsys, "--task", "selective-copy,vocab_size=8,length=8,items=2")
    assert rows["all-pairs"]["layers"] is None
    assert "cannot solve selective-copy" in rows["all-pairs"]["refused"]
    assert rows["selective-copy"]["layers"] > 0 and not rows["selective-copy"]["refused"]
    assert main(["solvers", "--task", "selective-copy,vocab_size=8,length=8,items=2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    refused = "all-pairs, attention, autocorrelation, lookup, sort"
    assert f"not for this task: {refused} (--json says why)" in lines
    # What YAML calls a value that is not set, which can be typed as an option.
    assert "null: not set" in lines[-1]
    assert "slots=null" in "".join(lines) and "=–" not in "".join(lines)


def test_progress_is_shown_on_a_terminal_alone(capsys, monkeypatch):
    assert main(["solvers", "--task", TASK]) == 0
    assert capsys.readouterr().err == ""
    # As on a terminal.
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["solvers", "--task", TASK]) == 0
    assert "building" in capsys.readouterr().err


def test_a_task_that_is_not_there_is_one_sentence(capsys):
    assert main(["solvers", "--task", "mqra"]) == 2
    assert "unknown task 'mqra'; did you mean 'mqar'?" in capsys.readouterr().err
