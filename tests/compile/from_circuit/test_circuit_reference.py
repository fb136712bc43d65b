"""What stacks of circuits are compared with, and on which inputs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import torch

import bestiary
from bestiary.circuits.library import LIBRARY
from bestiary.compile.circuit_form import CircuitForm
from bestiary.compile.from_circuit import compile_circuit
from bestiary.compile.from_circuit.reference import circuit_function, circuit_probes
from bestiary.compile.probes import probes
from bestiary.compile.verify import verify
from bestiary.errors import UserError


def form_of(circuit, layout="wide", bits=False):
    return CircuitForm(layout, circuit.inputs, circuit.outputs, bits=bits)


@bestiary.circuit(x=2, y=1)
def mixed(x, y):
    return [x[0] * x[1] - y[0], y[0], x[0]]


def test_the_reference_is_the_circuit_in_the_layout_of_the_stack():
    x = torch.tensor([[2.0, 3.0, 5.0], [1.0, 1.0, 4.0]], dtype=torch.float64)
    wide = circuit_function(mixed, form_of(mixed))(x[None])
    assert wide.tolist() == [[[1, 5, 2], [-3, 4, 1]]]
    # Rows of two, filled up: what stands beside the third input is not one.
    given = torch.tensor([[[2.0, 3.0], [5.0, 7.0]]], dtype=torch.float64)
    narrow = circuit_function(mixed, form_of(mixed, "narrow"))(given)
    assert narrow.tolist() == [[[1, 5], [2, 0]]]


def test_whole_numbers_are_exact_where_float64_rounds():
    @bestiary.circuit
    def cancels(x):
        return (x + 2**53) * (x + 2**53) - (2**106 + 2**54 * x)

    # x² + 0: gate by gate in float64 it is lost below 2^106.
    given = torch.tensor([[[3.0]]], dtype=torch.float64)
    assert circuit_function(cancels, form_of(cancels))(given).item() == 9


def test_few_bits_are_tried_in_all_their_vectors():
    found = circuit_probes(mixed, form_of(mixed, bits=True), 1, 3)
    assert list(found) == ["all bits"]
    vectors = found["all bits"][:, 0].int().tolist()
    assert sorted(vectors) == [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]


@pytest.mark.parametrize(("layout", "rows", "channels"), [("wide", 2, 16), ("narrow", 3, 6)])
def test_a_circuit_of_bits_is_tried_on_bits_alone_and_spare_places_are_zero(layout, rows, channels):
    circuit = LIBRARY["parity"].make(16)
    found = circuit_probes(circuit, form_of(circuit, layout, bits=True), rows, channels)
    assert {batch.shape[1:] for batch in found.values()} == {(rows, channels)}
    every = torch.cat(list(found.values()))
    assert set(every.unique().tolist()) == {0, 1}
    if layout == "narrow":
        assert (every.reshape(len(every), -1)[:, 16:] == 0).all()


def test_other_circuits_are_tried_on_bits_and_on_what_all_stacks_are():
    found = circuit_probes(mixed, form_of(mixed), 1, 3)
    assert set(found) == {"all bits", *probes(1, 3)}


def test_kinds_that_decide_nothing_are_left_out():
    @bestiary.circuit(x=3)
    def tower(x):
        value = (x[0] + x[1] * x[2]) / 2
        for _ in range(10):
            value = value * value
        return value

    found = circuit_probes(tower, form_of(tower), 1, 3)
    assert "large" not in found and "all bits" in found

    @bestiary.circuit
    def lost(x):
        # Of a small x fewer digits are left than are asked for.
        return (Fraction(10**9, 3) + x) - Fraction(10**9, 3)

    found = circuit_probes(lost, form_of(lost), 1, 1)
    assert "small" not in found and "large" in found


def test_a_circuit_that_float64_cannot_hold_anywhere_is_refused_with_its_degree():
    @bestiary.circuit(x=1)
    def huge(x):
        value = x[0] * x[0] + 10
        for _ in range(12):
            value = value * value
        return value

    with pytest.raises(UserError, match=r"huge has no value that float64 can hold .* 8,192"):
        circuit_probes(huge, form_of(huge), 1, 1)


def test_verify_finds_a_wrong_weight_in_a_circuit_of_bits_by_the_kinds_there_are():
    circuit = LIBRARY["adder-lookahead"].make(3)
    form = form_of(circuit, bits=True)
    made = compile_circuit(circuit)
    meant, inputs = circuit_function(circuit, form), circuit_probes(circuit, form, 1, 6)
    right = verify(made.stack, meant, 1, 6, compiled=made, inputs=inputs)
    assert right.ok and right.worst == 0
    with torch.no_grad():
        made.stack.layers[1].weight.values[0] += 0.5
    wrong = verify(made.stack, meant, 1, 6, compiled=made, inputs=inputs)
    assert not wrong.ok
    assert wrong.first is not None and wrong.first.layer == 2


@pytest.mark.parametrize("name", [name for name, entry in LIBRARY.items() if entry.bits])
def test_library_circuits_of_bits_give_whole_numbers_for_bits(name):
    circuit = LIBRARY[name].make(4)
    given = np.random.default_rng(0).integers(0, 2, size=(1, 20, circuit.width_in))
    made = circuit_function(circuit, form_of(circuit))(torch.from_numpy(given))
    assert (made == made.round()).all()
    assert made.abs().max() <= 16
