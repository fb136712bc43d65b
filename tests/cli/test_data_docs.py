"""docs/data.md and docs/tasks.md are run: commands, what they print, Python and configs."""

import re
import shlex

import pytest
import yaml
from pages import page

from bestiary.cli.main import main
from bestiary.tasks import TASKS, build_task


def fences(name):
    """(language, text) of every block of code of a page."""
    return re.findall(r"```(\w*)\n(.*?)```", page(name), re.DOTALL)


def commands(name):
    """Every command of a page with the block after its own."""
    found = fences(name)
    return [
        (line, found[number + 1][1] if number + 1 < len(found) else "")
        for number, (_, text) in enumerate(found)
        for line in text.splitlines()
        if line.startswith("bestiary ")
    ]


FENCES = fences("data.md")
OF_DATA, OF_TASKS = commands("data.md"), commands("tasks.md")
COMMANDS = OF_DATA + OF_TASKS


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


def test_the_pages_have_commands_with_outputs():
    assert len(OF_DATA) >= 5
    assert sum(after.startswith(("test 0", "split  ")) for _, after in OF_DATA) == 2
    # Every task that is not on the other page, each with an example.
    assert {line.split()[2] for line, _ in OF_TASKS} == set(TASKS) - {"mqar"}
    assert all(after.startswith("test 0") for _, after in OF_TASKS)


def test_the_config_for_longer_examples_is_a_task():
    (text,) = [text for language, text in fences("tasks.md") if language == "yaml"]
    task = build_task(yaml.safe_load(text)["task"])
    assert [s.length for s in task.stream("train").segments] == [64]
    assert [s.length for s in task.stream("test").segments] == [64, 128, 256]


def test_the_python_of_the_page_runs():
    (code,) = [text for language, text in FENCES if language == "python"]
    names: dict[str, object] = {}
    exec(compile(code, "docs/data.md", "exec"), names)
    assert len(names["some"]) == 2


def test_the_config_of_the_page_is_a_task():
    (text,) = [text for language, text in FENCES if language == "yaml"]
    task = build_task(yaml.safe_load(text)["task"])
    assert [s.length for s in task.stream("train").segments] == [64, 128]
    assert [s.length for s in task.stream("test").segments] == [64, 128, 256]
