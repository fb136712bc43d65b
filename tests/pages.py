"""The pages of the documentation, for the tests that hold them to what they show."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path
from typing import Any

from bestiary.cli.main import main

DOCS = Path(__file__).parents[1] / "docs"


def page(name: str) -> str:
    """The text of a page."""
    return (DOCS / name).read_text(encoding="utf-8")


def rows(table: str) -> list[list[str]]:
    """The cells of a table's rows that begin with a name in backticks; ``\\|`` is no border."""
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in table.splitlines()
        if line.startswith("| `")
    ]


def examples_tried(name: str) -> tuple[int, int]:
    """How many examples of a page's ``pycon`` blocks were run, in one session; how many fail."""
    text = "\n".join(re.findall(r"```pycon\n(.*?)```", page(name), re.DOTALL))
    session = doctest.DocTestParser().get_doctest(text, {}, f"docs/{name}", None, 0)
    result = doctest.DocTestRunner().run(session)
    return result.attempted, result.failed


def run_from_top(name: str, capsys: Any) -> int:
    """Run a page's ``console`` and ``python`` blocks; what ``text`` blocks show must be printed.

    All in the current folder, and Python in one session. Returns how many blocks there are.
    """
    blocks = re.findall(r"```(\w*)\n(.*?)```", page(name), re.DOTALL)
    names: dict[str, object] = {}
    printed = ""
    for language, text in blocks:
        if language == "console":
            printed = ""
            for command in text.splitlines():
                assert command.startswith("bestiary ")
                assert main(shlex.split(command)[1:]) == 0, command
                printed += capsys.readouterr().out
        elif language == "python":
            exec(compile(text, name, "exec"), names)
            printed = capsys.readouterr().out
        elif language == "text":
            assert text in printed
    return len(blocks)
