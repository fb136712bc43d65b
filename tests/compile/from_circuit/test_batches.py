"""Circuits in few channels: exact, never wider than asked, as deep as counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from random_circuits import random_circuits

from bestiary.circuits.tracing import traced
from bestiary.compile.compiling import compile_program
from bestiary.compile.from_circuit import compile_circuit
from bestiary.compile.from_circuit.batches import batches
from bestiary.compile.interpret import interpret
from bestiary.errors import UserError


def pairs(x):
    """Six products of three factors."""
    return [(x[i] + x[j]) * (x[i] - x[j]) * x[i] for i in range(4) for j in range(i)]


@settings(deadline=None, max_examples=60)
@given(random_circuits(most_degree=32), st.floats(0.3, 1.5), st.integers(0, 2**32 - 1))
def test_a_random_circuit_is_exact_in_so_few_channels(made, share, seed):
    circuit = made.circuit
    channels = max(1, int(share * compile_circuit(circuit).stack.width))
    try:
        program = batches(circuit, channels)
    except UserError:
        assume(False)
    compiled = compile_program(program)
    assert compiled.stack.width <= channels
    row = np.random.default_rng(seed).integers(-4, 5, circuit.width_in)
    found = interpret(compiled.placed, row[None], exactly=True).ravel().tolist()
    assert found == made.expected(row.tolist())


def test_fewer_channels_never_take_fewer_layers():
    made, layers = traced(pairs, {"x": 4}), []
    for channels in (24, 16, 12, 10, 8):
        stack = compile_program(batches(made, channels)).stack
        assert stack.width <= channels
        layers.append(len(stack.layers))
        row = torch.tensor([[[1.0, -2.0, 3.0, 5.0]]], dtype=torch.float64)
        assert stack(row).flatten().tolist() == pairs([1, -2, 3, 5])
    assert layers == sorted(layers)
    assert layers[0] == 5 < layers[-1]


def test_a_long_sum_of_products_is_added_up_in_one_channel():
    # 24 distinct products of three inputs; all at once would take 24 channels.
    def many(x):
        a, b, c = x
        return sum((a + i * b) * (b + i * c) for i in range(24))

    made = traced(many, {"x": 3})
    wide = compile_circuit(made).stack
    small = compile_circuit(made, channels=6).stack
    assert wide.width >= 24
    assert small.width <= 6
    row = torch.tensor([[[2.0, 3.0, 5.0]]], dtype=torch.float64)
    expected = sum((2 + 3 * i) * (3 + 5 * i) for i in range(24))
    assert small(row).item() == wide(row).item() == expected


def test_a_budget_that_is_enough_changes_nothing():
    made = traced(pairs, {"x": 4})
    free = compile_circuit(made).stack
    held = compile_circuit(made, channels=free.width).stack
    assert (len(held.layers), held.width) == (len(free.layers), free.width)


@pytest.mark.parametrize(("channels", "words"), [(5, "needs at least 6"), (7, "8 are needed")])
def test_too_few_channels_are_refused_with_a_number(channels, words):
    with pytest.raises(UserError, match=words):
        compile_circuit(traced(pairs, {"x": 4}), channels=channels)
