"""`bestiary tasks`: every task and its options, within the width of a terminal."""

from __future__ import annotations

import json

from bestiary.cli.main import main
from bestiary.tasks.registry import TASKS


def test_every_task_is_listed_with_its_options(capsys):
    assert main(["tasks", "--json"]) == 0
    listed = {row["name"]: row["options"] for row in json.loads(capsys.readouterr().out)}
    assert list(listed) == list(TASKS)
    assert main(["tasks"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "  vocab_size: 8192" in lines
    assert sum(line.startswith("  ") for line in lines) == sum(map(len, listed.values()))


def test_lines_break_between_words_where_the_terminal_ends(capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    assert main(["tasks"]) == 0
    whole = capsys.readouterr().out
    assert max(map(len, whole.splitlines())) > 80
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["tasks"]) == 0
    broken = capsys.readouterr().out
    assert max(map(len, broken.splitlines())) <= 80
    assert broken.split() == whole.split()
