"""What goes in and what comes out against `run` on the same array, by the names of the numbers."""

from __future__ import annotations

import re

import numpy as np
import pytest

from bestiary.compile import Program, compile_program, input_array
from bestiary.compile.array_run import run_array
from bestiary.compile.compiled_file import save_compiled
from bestiary.mixers.stack_file import read_stack_file
from bestiary.report.explain import explain_page, sheet_of
from bestiary.runs.circuit_compilation import CircuitHow, of_circuit
from bestiary.runs.circuit_source import named_circuit
from bestiary.runs.compilation import How, of_transform
from bestiary.runs.explained import Explained
from bestiary.runs.explained_file import explained_file


def saved(tmp_path, work):
    path = tmp_path / "c.safetensors"
    save_compiled(path, work.compiled, {"origin": work.origin.to_dict()})
    return path


def circuit(tmp_path, name, n, **how):
    return saved(tmp_path, of_circuit(named_circuit(name, n), CircuitHow(**how)))


def sheet(path, array):
    given = path.parent / "x.npy"
    np.save(given, array)
    return sheet_of(explained_file(path, given))


MATRICES = np.arange(1.0, 9)
PRODUCT = MATRICES[:4].reshape(2, 2) @ MATRICES[4:].reshape(2, 2)


@pytest.mark.parametrize("how", [{}, {"layout": "narrow"}, {"layout": "narrow", "d": 2}])
def test_all_numbers_of_a_circuit_are_told_by_name_at_both_ends(tmp_path, how):
    found = sheet(circuit(tmp_path, "matrix-product", 2, **how), MATRICES)
    first, last = found.steps[0], found.steps[-1]
    assert first.sentence == (
        "What the first layer is given: a[0,0] = 1, a[0,1] = 2, a[1,0] = 3, a[1,1] = 4, "
        "b[0,0] = 5, b[0,1] = 6, b[1,0] = 7 and b[1,1] = 8."
    )
    names = [f"out[{i},{j}]" for i in (0, 1) for j in (0, 1)]
    told = [f"{name} = {value:g}" for name, value in zip(names, PRODUCT.ravel(), strict=True)]
    assert last.title == "output"
    assert last.sentence == f"What comes out: {told[0]}, {told[1]}, {told[2]} and {told[3]}."


def test_each_number_of_a_narrow_circuit_has_its_name_in_its_place(tmp_path):
    found = sheet(circuit(tmp_path, "matrix-product", 2, layout="narrow", d=2), MATRICES)
    first, last = found.steps[0], found.steps[-1]
    for step, expected in ((first, MATRICES), (last, PRODUCT.ravel())):
        named = {
            name: step.product[line, row]
            for line, names in enumerate(step.cells)
            for row, name in enumerate(names)
            if name
        }
        assert list(sorted(named.values())) == sorted(expected)
    assert first.cells[1][:4] == ("a[0,1]", "a[1,1]", "b[0,1]", "b[1,1]")
    assert [line.name for line in last.lines] == ["output.0", "output.1"]
    assert np.isnan(last.product[:, 2:]).all()
    assert all(step.cells == () for step in found.steps[1:-1])


@pytest.mark.parametrize(("name", "n"), [("dft", 8), ("dct", 8)])
def test_the_output_of_a_transform_is_what_run_gives(tmp_path, name, n):
    path = saved(tmp_path, of_transform(name, n, 1, How()))
    width = read_stack_file(path).inputs
    array = np.random.default_rng(0).normal(size=(n, width))
    last = sheet(path, array).steps[-1]
    np.testing.assert_array_equal(last.product[:, :n].T, run_array(read_stack_file(path), array))
    channels = "1 channel" if width == 1 else "2 channels"
    assert last.sentence.startswith("What comes out: ") and last.sentence.endswith(f"({channels}).")


def test_outputs_that_were_ready_before_the_last_layer_are_there_too(tmp_path):
    path = circuit(tmp_path, "adder-ripple", 4)
    # 7 + 9 = 16.
    found = sheet(path, np.array([1, 1, 1, 0, 1, 0, 0, 1]))
    assert sum(not line.kept for line in found.steps[-2].lines) == 2
    assert found.steps[-1].product[:, 0].tolist() == [0, 0, 0, 0, 1]


def squared(value):
    u = input_array("u", 1)
    program = Program((u,), (u * u) * (u * u), rows=2, name="power")
    return sheet_of(Explained("power", "", compile_program(program), np.array([[value], [1.0]])))


def test_where_float64_ends_is_said_by_layer_and_for_all():
    found = squared(1e100)
    assert [step.too_large for step in found.steps] == [0, 0, 1, 0]
    assert found.steps[2].sentence.endswith("Too large for float64 in 1 channel.")
    assert found.caution.startswith("Numbers are too large for float64 from layer 2 on: infinite")
    assert found.caution in explain_page(found)
    assert squared(1e70).caution == "" and not re.search("Too large", explain_page(squared(1e70)))
