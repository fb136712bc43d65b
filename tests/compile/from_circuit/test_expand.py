"""Products of sums expanded: the same polynomials, no more layers, channels within the factor."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_circuits import inputs_of, random_circuits

from bestiary.circuits import evaluate
from bestiary.circuits.library import LIBRARY
from bestiary.circuits.tracing import traced
from bestiary.compile.from_circuit import compile_circuit
from bestiary.compile.from_circuit.by_levels import by_levels, levels_size
from bestiary.compile.from_circuit.copies import with_copies
from bestiary.compile.from_circuit.expand import expanded
from bestiary.compile.from_circuit.terms import in_terms
from bestiary.compile.interpret import interpret
from bestiary.errors import UserError

PLENTY = 10_000


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_an_expanded_circuit_is_the_same_in_no_more_layers_and_within_the_channels(data):
    made = data.draw(random_circuits(most_steps=40, most_degree=16, kinds="+-**c"))
    drawn = made.circuit
    layers, width = levels_size(drawn)
    channels = data.draw(st.integers(width, 4 * width))
    done = expanded(drawn, channels)
    values = data.draw(inputs_of(drawn))
    assert evaluate(done, values) == made.expected(values)
    assert (done.inputs, done.outputs) == (drawn.inputs, drawn.outputs)
    assert levels_size(done)[0] <= layers
    assert done is drawn or levels_size(done)[1] <= channels


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_taking_any_levels_apart_and_copying_for_any_changes_no_value(data):
    made = data.draw(random_circuits(most_steps=30, most_degree=16, kinds="+-**c"))
    drawn = made.circuit
    levels = st.lists(st.integers(1, max(1, drawn.multiplicative_depth)), unique=True)
    apart = drawn
    for level in sorted(data.draw(levels)):
        apart = in_terms(apart, level, PLENTY) or apart
    copied = with_copies(apart, data.draw(levels), PLENTY)
    assert copied is not None
    assert copied.multiplicative_depth <= drawn.multiplicative_depth
    values = data.draw(inputs_of(drawn))
    assert evaluate(apart, values) == made.expected(values)
    assert evaluate(copied, values) == made.expected(values)


@settings(deadline=None, max_examples=30)
@given(random_circuits(most_steps=30, most_degree=16, kinds="+-**c"), st.integers(0, 2**32 - 1))
def test_a_compiled_expansion_is_exact_and_never_deeper(made, seed):
    drawn = made.circuit
    plain, wide = compile_circuit(drawn), compile_circuit(drawn, expand=4.0)
    assert len(wide.stack.layers) <= len(plain.stack.layers)
    assert wide.stack.width <= 4 * plain.stack.width
    row = np.random.default_rng(seed).integers(-2, 3, drawn.width_in)
    found = interpret(wide.placed, row[None, None], exactly=True).ravel().tolist()
    assert found == made.expected(row.tolist())


def products_of_sums(a, b):
    for _ in range(4):
        a, b = (a + b) * (a - b), (a + 2 * b) * (3 * a - b)
    return a


def test_products_of_sums_of_products_take_a_layer_a_level():
    made = traced(products_of_sums, {})
    assert made.multiplicative_depth == 4
    plain, wide = compile_circuit(made), compile_circuit(made, expand=16.0)
    # Each level gathers one factor; or one layer copies the inputs, and one adds up at the end.
    assert len(plain.stack.layers) == 2 * 4
    assert len(wide.stack.layers) <= 4 + 2
    row = torch.tensor([[[2.0, -1.0]]], dtype=torch.float64)
    assert wide.stack(row).item() == products_of_sums(2, -1)


def test_copies_are_made_for_what_several_products_convolve():
    # Four products of one level; all pairs of them are six products of the next.
    def pairs(x):
        made = [x[i] * x[i + 4] for i in range(4)]
        return np.array([a * b for a, b in combinations(made, 2)])

    made = traced(pairs, {"x": 8})
    copied = with_copies(made, [2], PLENTY)
    assert copied is not None
    # Six wires are convolved, four are there: two products are formed twice.
    assert copied.products.sum() == 4 + 6 + 2
    layers = [cell.layer for cell in by_levels(copied) if getattr(cell, "layer", None)]
    assert max(layers) < levels_size(made)[0]


def test_too_many_terms_or_copies_are_refused():
    made = traced(lambda x, y: (x[0] + x[1] + x[2]) * (y[0] + y[1] + y[2]), {"x": 3, "y": 3})
    assert in_terms(made, 1, 2) is None
    apart = in_terms(made, 1, 3)
    assert apart is not None
    assert apart.products.sum() == 3
    assert with_copies(apart, [1], 2) is None


def test_comparing_all_pairs_saves_a_layer_at_every_level_but_the_first():
    ranked = LIBRARY["sort-rank"].make(4)
    plain, wide = compile_circuit(ranked), compile_circuit(ranked, expand=2.0)
    assert len(wide.stack.layers) <= ranked.multiplicative_depth + 2
    assert len(wide.stack.layers) < len(plain.stack.layers)
    assert wide.stack.width <= 2 * plain.stack.width


@pytest.mark.parametrize("factor", [0.5, -1.0, float("nan"), float("inf")])
def test_a_factor_below_1_is_refused(factor):
    with pytest.raises(UserError, match=f"expand is {factor}; a factor of channels from 1 on"):
        compile_circuit(traced(lambda x: x * x, {}), expand=factor)
