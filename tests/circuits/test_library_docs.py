"""docs/library.md: every circuit stands in its table, which its script makes."""

from __future__ import annotations

import re
import runpy
import sys

import pytest
from pages import DOCS, examples_tried, page, rows

from bestiary.circuits.library import LIBRARY

QUICK = ["horner", "fft", "parity", "adder-lookahead", "comparator", "induction-head"]


@pytest.fixture
def printed(capsys, monkeypatch):
    def printed(*names):
        (command,) = re.findall(r"`python docs/(studies/\S+\.py) --write`", page("library.md"))
        monkeypatch.setattr(sys, "argv", [command, *names])
        monkeypatch.syspath_prepend(str(DOCS / "studies"))
        runpy.run_path(str(DOCS / command), run_name="__main__")
        return rows(capsys.readouterr().out)

    return printed


def test_every_circuit_is_on_the_page_in_the_order_of_the_library():
    assert [row[0].strip("`") for row in rows(page("library.md"))] == list(LIBRARY)


def test_the_rows_of_a_few_are_those_that_the_script_makes(printed):
    shown = {row[0]: row for row in rows(page("library.md"))}
    made = printed(*QUICK)
    assert len(made) == len(QUICK)
    assert made == [shown[f"`{name}`"] for name in QUICK]


@pytest.mark.slow
def test_the_whole_table_is_the_one_that_the_script_makes(printed):
    assert printed() == rows(page("library.md"))


def test_no_stack_is_shallower_than_its_floor():
    shown = rows(page("library.md"))
    floors = [(int(row[6]), int(row[5])) for row in shown if row[5] != "–"]
    assert len(floors) > 40
    assert all(layers >= floor for layers, floor in floors)


def test_the_examples_print_what_the_page_shows():
    attempted, failed = examples_tried("library.md")
    assert attempted > 3
    assert failed == 0
