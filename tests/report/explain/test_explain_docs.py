"""docs/explain.md is run: its commands, what they print, its picture and its Python."""

from __future__ import annotations

import re
import shlex

from pages import DOCS, examples_tried, page

from bestiary.cli.main import main
from bestiary.report.explain.sheet import MOST_NUMBERS, MOST_ROWS, MOST_STEPS
from bestiary.report.explain.shown import OPEN
from bestiary.solvers.attention_workings import LEAST

FENCES = re.findall(r"```(\w*)\n(.*?)```", page("explain.md"), re.DOTALL)


def test_every_command_works_and_prints_what_the_page_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    printed, shown = "", 0
    for language, text in FENCES:
        if language == "console":
            for command in text.splitlines():
                assert main(shlex.split(command)[1:]) == 0, command
            printed = capsys.readouterr().out
        elif language == "text":
            assert text in printed
            shown += 1
    assert shown == 4
    # The head of a PNG says how large it is.
    size = slice(16, 24)
    drawn = (tmp_path / "explain.png").read_bytes()[size]
    assert drawn == (DOCS / "images" / "explain.png").read_bytes()[size]


def test_the_python_of_the_page_gives_what_it_shows():
    tried, failed = examples_tried("explain.md")
    assert tried == 9 and failed == 0


def test_the_limits_on_the_page_are_those_of_the_code():
    text = page("explain.md")
    assert f"at most {MOST_NUMBERS:,} numbers" in text
    assert f"up to {MOST_ROWS} rows and {MOST_STEPS:,} layers" in text
    assert f"more than {OPEN} channels" in text
    assert f"Weights below {LEAST} are drawn as 0" in text
