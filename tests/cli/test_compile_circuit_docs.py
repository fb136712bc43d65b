"""docs/compile-circuit.md is run from top to bottom; its tables and pictures are what it says."""

from __future__ import annotations

import re
import shlex

import pytest
from pages import DOCS, page, rows, run_from_top

from bestiary.compile.from_circuit import compile_circuit
from bestiary.compile.from_circuit.frontier import floor_of
from bestiary.runs.circuit_source import named_circuit
from bestiary.runs.compile_options import SCOPES

PAGE = "compile-circuit.md"


def test_everything_on_the_page_runs_and_prints_what_it_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run_from_top(PAGE, capsys) > 10
    assert (tmp_path / "decay.html").stat().st_size > 10_000


def test_the_table_of_options_has_all_that_are_for_circuits_alone_and_no_others():
    shown = set(re.findall(r"--[a-z]+", "".join(row[0] for row in rows(page(PAGE)))))
    of_circuits = {name for name, scope in SCOPES.items() if "circuit" in scope.subjects}
    alone = {name for name, scope in SCOPES.items() if list(scope.subjects) == ["circuit"]}
    assert alone - {"--rows"} <= shown <= of_circuits


def frontiers():
    """The name and size of each circuit whose frontier is shown, and its table."""
    commands = re.findall(r"^bestiary frontier (.+)$", page(PAGE), re.MULTILINE)
    for command in commands:
        words = shlex.split(command)
        if "--n" in words:
            name, n = words[0], int(words[words.index("--n") + 1])
            (table,) = re.findall(rf"```\n({name}: .*?)```", page(PAGE), re.DOTALL)
            yield pytest.param(name, n, table, words[-1], id=name)


@pytest.mark.parametrize(("name", "n", "table", "picture"), list(frontiers()))
def test_the_wide_stack_of_a_table_is_what_is_compiled_and_its_picture_is_there(
    name, n, table, picture
):
    circuit = named_circuit(name, n).real
    first, heads, *lines = table.splitlines()
    floor = floor_of(circuit)
    assert first == f"{circuit}; floor {'–' if floor is None else floor}"
    assert heads.split()[:2] == ["way", "layers"]
    (wide,) = (line for line in lines if re.match(r"[* ]+(auto)? +wide  ", line))
    numbers = wide.partition("wide")[2].split()
    stack = compile_circuit(circuit).stack
    assert [int(numbers[0]), int(numbers[2])] == [len(stack.layers), stack.width]
    assert (DOCS.parent / picture).stat().st_size < 200_000
    assert f"]({picture.removeprefix('docs/')})" in page(PAGE)
