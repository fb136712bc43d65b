"""Where the numbers of a circuit lie in its stack, and how arrays of people's are read."""

from __future__ import annotations

import numpy as np
import pytest

from bestiary.circuits import Port
from bestiary.compile.circuit_form import CircuitForm
from bestiary.errors import UserError

MATRIX = (Port("a", (2, 3)),)
TWO = (Port("x", (4,)), Port("y"))
SCALAR = (Port("out"),)


def test_a_form_survives_json_and_what_is_none_is_refused():
    form = CircuitForm("narrow", TWO, SCALAR, pairs=False, bits=True)
    plain = form.to_dict()
    assert CircuitForm.from_dict(plain) == form
    for wrong in (
        None,
        [],
        {},
        plain | {"layout": "deep"},
        plain | {"bits": 1},
        plain | {"inputs": "x"},
        plain | {"inputs": [["x", [-1]]]},
        plain | {"outputs": []},
        plain | {"more": 1},
    ):
        with pytest.raises(UserError, match="its file is damaged"):
            CircuitForm.from_dict(wrong)


@pytest.mark.parametrize("layout", ["wide", "narrow"])
def test_inputs_come_back_from_the_stack_and_what_fills_up_rows_is_zero(layout):
    form = CircuitForm(layout, TWO, SCALAR)
    rows, channels = (1, 5) if layout == "wide" else (3, 2)
    form.check_sizes(rows, channels)
    examples = np.random.default_rng(0).normal(size=(7, 5))
    given = form.input_array(examples, rows, channels)
    assert given.shape == (7, rows, channels)
    assert (given.ravel().reshape(7, -1)[:, 5:] == 0).all()
    assert (form.examples(given) == examples).all()


def test_outputs_lie_as_a_narrow_stack_gives_them():
    form = CircuitForm("narrow", TWO, (Port("out", (3,)),))
    outputs = np.arange(6.0).reshape(2, 3)
    laid = form.output_array(outputs, 3, 2)
    assert laid.tolist() == [[[0, 1], [2, 0]], [[3, 4], [5, 0]]]
    assert (form.outputs_of(laid) == outputs).all()


@pytest.mark.parametrize(("rows", "channels"), [(1, 4), (2, 2), (4, 2), (5, 5)])
def test_sizes_that_are_not_those_of_the_circuit_are_refused(rows, channels):
    with pytest.raises(UserError, match=f"a stack of {rows} × {channels} numbers cannot be that"):
        CircuitForm("narrow", TWO, SCALAR).check_sizes(rows, channels)


@pytest.mark.parametrize(
    ("shape", "lead", "as_port"),
    [((6,), (), False), ((2, 3), (), True), ((4, 6), (4,), False), ((4, 2, 3), (4,), True)],
)
def test_vectors_and_arrays_of_the_one_port_are_read_alone_and_in_batches(shape, lead, as_port):
    form = CircuitForm("wide", MATRIX, SCALAR)
    given = np.arange(np.prod(shape), dtype=float).reshape(shape)
    examples, found, shaped = form.read(given, 1)
    assert (found, shaped) == (lead, as_port)
    assert (examples == given.reshape(-1, 6)).all()
    made = form.written(examples[:, :1], lead, as_port)
    assert made.shape == (lead if as_port else (*lead, 1))


def test_rows_of_a_wide_circuit_are_examples_of_their_own():
    form = CircuitForm("wide", TWO, SCALAR)
    for shape in ((3, 5), (2, 3, 5)):
        examples, lead, _ = form.read(np.ones(shape), 3)
        assert lead == shape[:-1]
        assert form.written(examples[:, :1], lead, False).shape == (*shape[:-1], 1)
    with pytest.raises(UserError, match=r"the circuit takes 5 numbers a row, x \(4,\), y "):
        form.read(np.ones(5), 3)


def test_pairs_are_complex_numbers():
    form = CircuitForm("wide", (Port("z", (3, 2)),), (Port("out", (3, 2)),), pairs=True)
    z = np.array([1 + 2j, 3, 4j])
    examples, lead, as_port = form.read(z, 1)
    assert examples.tolist() == [[1, 2, 3, 0, 0, 4]]
    assert (form.written(examples, lead, as_port) == z).all()
    assert form.written(examples.astype(np.float32), lead, as_port).dtype == np.complex64


@pytest.mark.parametrize(
    ("form", "given", "said"),
    [
        (CircuitForm("wide", TWO, SCALAR), np.ones(5) * 1j, "a circuit of real numbers takes real"),
        (CircuitForm("wide", TWO, SCALAR), np.ones(4), r"takes 5 numbers, x \(4,\), y \(accepted"),
        (CircuitForm("wide", TWO, SCALAR), np.ones((0, 5)), r"of shape \(0, 5\) was given"),
        (CircuitForm("wide", TWO, SCALAR), np.ones((2, 2, 5)), r"of shape \(2, 2, 5\) was given"),
        (CircuitForm("wide", MATRIX, SCALAR), np.ones((3, 2)), r"\(6,\) or \(2, 3\), or a batch"),
        (CircuitForm("wide", TWO, SCALAR, bits=True), np.array([0, 1, 0.5]), "0.5 at index 2; the"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_is_taken(form, given, said):
    with pytest.raises(UserError, match=said):
        form.read(given, 1)
