"""docs/recall-by-hand.md is run: its examples, its commands at a small size, its scripts."""

from __future__ import annotations

import json
import re
import runpy
import sys

import numpy as np
import pytest
from pages import DOCS, examples_tried, page

from bestiary.cli.main import main
from bestiary.solvers.registry import SOLVERS

NAME = "recall-by-hand.md"
PAGE = page(NAME)
FIVE = [name for name in SOLVERS if name != "selective-copy"]
SMALL = "--vocab-size 8 --length 8 --pairs 1"


def table(which: str) -> list[list[str]]:
    """The cells of a table that a script has put on the page, the heads first."""
    (text,) = re.findall(rf"<!-- {which}: begin -->\n(.*?)<!-- {which}: end -->", PAGE, re.DOTALL)
    return cells(text)


def cells(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


@pytest.fixture
def script(monkeypatch, capsys):
    """What a script of the page prints, or its names where it is not to be run."""
    monkeypatch.syspath_prepend(str(DOCS / "studies"))

    def run(name, arguments="", run_name="__main__"):
        assert f"python docs/studies/{name}.py" in PAGE
        monkeypatch.setattr(sys, "argv", [name, *arguments.split()])
        names = runpy.run_path(str(DOCS / "studies" / f"{name}.py"), run_name=run_name)
        return cells(capsys.readouterr().out) if run_name == "__main__" else names

    return run


def test_the_examples_print_what_the_page_shows():
    attempted, failed = examples_tried(NAME)
    assert attempted > 12
    assert failed == 0


@pytest.mark.slow
def test_the_commands_of_the_page_score_all_solvers_as_shown(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    beside, alone = re.findall(r"^bestiary (recall .*)$", PAGE, re.MULTILINE)
    assert main([*beside.split(), "--list"]) == 0
    assert "compiled-sort" in capsys.readouterr().out
    small = (
        "--set=task.segments=[{length: 16, pairs: 4}]",
        "--set=task.validation_examples=4",
        "--set=task.test_examples=20",
    )
    assert main([*alone.split(), *small, "--json", "-w", "1"]) == 0
    found = {row["label"]: row["accuracy"] for row in json.loads(capsys.readouterr().out)}
    shown = re.findall(r"^(compiled:\S+) +\d+ +([\d.]+)", PAGE, re.MULTILINE)
    assert {name.partition(":")[2] for name, _ in shown} == {*FIVE, "lookup,slots=2"}
    assert found == {name: float(accuracy) for name, accuracy in shown}


@pytest.mark.slow
def test_the_shortest_rows_of_the_precision_tables_are_those_of_the_script(script):
    shown = [row for which in ("precision", "latest") for row in table(which)[1:]]
    made = [row for row in script("recall_precision", "--lengths 16") if row[0] != "solver"]
    assert made == [row for row in shown if row[1] == "16"]
    assert {row[0] for row in table("precision")[1:]} == {f"`{name}`" for name in FIVE}
    # The page says: exact in all formats, and one bit throughout.
    assert {score for row in shown for score in row[2:5]} == {"1.0000"}
    assert {row[5] for row in table("precision")[1:]} == {"1", "–"}


def test_the_number_of_bits_is_that_of_the_longest_significand(script):
    bits_of = script("recall_precision", run_name="study")["bits_of"]
    for numbers, bits in (
        ([0.0, 0.0], 0),
        ([0.5, -4.0, 0.0], 1),
        ([3.0, -0.375], 2),
        ([256.0, 257.0], 9),
        ([0.1], 52),
    ):
        assert bits_of(np.array(numbers)) == bits


def test_the_smallest_sizes_of_the_table_are_those_of_the_script(script):
    study = script("recall_size", run_name="study")
    heads, *shown = table("sizes")
    assert heads[2:6] == ["N = 8 … 128, V = 256", "N^", "(log N)^", "V = 16 … 4,096, N = 32"]
    assert {row[0] for row in shown} == {f"`{name}`" for name in FIVE}
    for name in FIVE:
        own = [row for row in shown if row[0] == f"`{name}`"]
        for column, (vocabulary, length) in ((2, (256, 8)), (5, (16, 32))):
            if name == "sort" and length > 8:
                continue
            first = [int(row[column].split(" … ")[0].replace(",", "")) for row in own]
            assert first == list(study["sizes"](name, vocabulary, length).values())


def test_exponents_are_the_slopes_in_logarithms(script):
    exponent = script("recall_size", run_name="study")["exponent"]
    assert exponent([1.0, 2.0, 4.0], [3.0, 24.0, 192.0]) == pytest.approx(3)
    assert exponent([1.0, 2.0, 4.0], [7.0, 7.0, 7.0]) == 0
    fitted = {(row[0], row[1]): row for row in table("sizes")[1:]}
    # What the page says of them.
    assert fitted["`all-pairs`", "layers"][3] == "0.00"
    assert float(fitted["`all-pairs`", "channels"][3]) == pytest.approx(1, abs=0.1)
    assert float(fitted["`sort`", "layers"][4]) == pytest.approx(1.9, abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["dense", "structured"])
def test_the_study_of_fine_tuning_trains_and_prints_a_table_like_that_of_the_page(script, form):
    arguments = f"{SMALL} --updates 3 --seeds 1 --rates 1e-3 --starts 0 0.3 random --form {form}"
    heads, kept, noisy, drawn = script("fine_tune_recall", arguments)
    shown = table(form)
    columns = [name for name in shown[0] if not name.startswith("layer")]
    assert [name for name in heads if not name.startswith("layer")] == columns
    assert kept[2:5] == ["1.000"] * 3 and kept[6] == "0.000 → 0.000"
    assert float(noisy[6].split(" → ")[0]) > 0.1
    assert float(drawn[6].split(" → ")[0]) > 1
    assert shown[1][0] == "0" and shown[-1][0] == "random"
    assert all(row[2:5] == ["1.000"] * 3 for row in shown if row[0] == "0")


@pytest.mark.slow
def test_the_study_of_probes_reads_the_answer_from_the_last_layer_of_what_was_set(script):
    made = script("probe_recall", f"{SMALL} --updates 2 --examples 200")
    shown = table("probes")
    assert made[0] == shown[0]
    assert [row[0] for row in made if row[0]] == [row[0] for row in shown if row[0]]
    compiled = made[2:7]
    assert compiled[0][:2] == ["compiled all-pairs", "1.000"]
    assert compiled[-1][4] == "1.00"
    assert float(compiled[0][4]) < 0.9
