"""docs/butterfly.md is run, and so is its study, at a size that is quick."""

from __future__ import annotations

import re
import subprocess
import sys

from pages import DOCS, examples_tried, page

from bestiary.structured.layers import STARTS

PAGE = page("butterfly.md")


def test_the_examples_print_what_the_page_shows():
    attempted, failed = examples_tried("butterfly.md")
    assert attempted > 20
    assert failed == 0


def test_the_study_of_the_page_runs_and_learns_at_a_small_size():
    (command,) = re.findall(r"```sh\npython (.*?)\n```", PAGE)
    script, *options = command.split()
    assert options[::2] == ["--n", "--seeds"]
    done = subprocess.run(
        [sys.executable, DOCS.parent / script, "--n", "4", "--seeds", "1"],
        capture_output=True,
        text=True,
        check=True,
    )
    head, _, *rows = done.stdout.splitlines()
    assert head in PAGE
    assert len(rows) == 6
    for row in rows:
        assert "| 1 of 1 |" in row
        target, start, method = row.split("|")[1:4]
        assert f"|{target}|{start}|{method}|" in PAGE


def test_every_init_of_the_page_is_one_of_the_layers():
    rows = PAGE.partition("| `init` |")[2].partition("\n\n")[0]
    assert set(STARTS) == set(re.findall(r"^\| `(\w+)`", rows, re.MULTILINE))
