"""docs/data.md is run: its commands, what they print, and its Python."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

from bestiary.cli.main import main
from bestiary.tasks import build_task

PAGE = Path(__file__).parents[2] / "docs" / "data.md"
FENCES = re.findall(r"```(\w*)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
COMMANDS = [
    (line, FENCES[number + 1][1] if number + 1 < len(FENCES) else "")
    for number, (_, text) in enumerate(FENCES)
    for line in text.splitlines()
    if line.startswith("bestiary ")
]


@pytest.mark.parametrize(("command", "after"), COMMANDS, ids=[c for c, _ in COMMANDS])
def test_a_command_of_the_page_works_and_prints_what_the_page_shows(
    command, after, capsys, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    assert main(shlex.split(command)[1:]) == 0
    printed = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    # The block after a command is its output, unless it is another command or a config.
    shown = after.splitlines() if after.startswith(("test 0", "split  ")) else []
    assert [line for line in shown if line not in printed] == []


def test_the_page_has_commands_with_outputs():
    assert len(COMMANDS) >= 5
    assert sum(after.startswith(("test 0", "split  ")) for _, after in COMMANDS) == 2


def test_the_python_of_the_page_runs():
    (code,) = [text for language, text in FENCES if language == "python"]
    names: dict[str, object] = {}
    exec(compile(code, str(PAGE), "exec"), names)
    assert len(names["some"]) == 2


def test_the_config_of_the_page_is_a_task():
    (text,) = [text for language, text in FENCES if language == "yaml"]
    task = build_task(yaml.safe_load(text)["task"])
    assert [s.length for s in task.stream("train").segments] == [64, 128]
    assert [s.length for s in task.stream("test").segments] == [64, 128, 256]
