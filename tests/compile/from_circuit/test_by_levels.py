"""Circuits by levels: a stack that gives the circuit's values, within the bounds on its size."""

from __future__ import annotations

from math import ceil, log2

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_circuits import random_circuits

from bestiary.circuits.tracing import traced
from bestiary.compile.compiling import compile_program
from bestiary.compile.from_circuit.by_levels import by_levels
from bestiary.compile.from_circuit.levels import levels_of
from bestiary.errors import UserError


def run(stack, rows):
    """(batch, inputs) through a stack of one row."""
    given = torch.tensor(rows, dtype=torch.float64)[:, None]
    return stack(given)[:, 0].detach().numpy()


def compiled(function, **shapes):
    made = traced(function, shapes)
    return made, compile_program(by_levels(made)).stack


@settings(deadline=None)
@given(random_circuits(), st.integers(0, 2**32 - 1))
def test_a_random_circuit_is_its_stack_in_2d_plus_1_layers_and_twice_the_width(made, seed):
    drawn = made.circuit
    stack = compile_program(by_levels(drawn)).stack
    depth, most = drawn.multiplicative_depth, levels_of(drawn).most
    assert len(stack.layers) <= 2 * depth + 1
    assert stack.width <= 2 * most
    rows = np.random.default_rng(seed).integers(-2, 3, (3, drawn.width_in))
    exact = np.array([[float(v) for v in made.expected(row)] for row in rows.tolist()])
    # Exact numbers this small are float64 numbers, fractions of powers of two included.
    scale = max(1.0, np.abs(exact).max())
    assert np.abs(run(stack, rows.tolist()) - exact).max() <= 1e-9 * scale


def test_the_bound_of_layers_is_reached_by_a_sum_of_squares():
    _, stack = compiled(lambda x, y: x**2 + y**2 + x * y)
    # Three products of two inputs, each of which can be convolved once at first: one is copied.
    assert len(stack.layers) == 3
    np.testing.assert_array_equal(run(stack, [[2, 3], [-1, 4]]), [[19], [13]])


@pytest.mark.parametrize("n", [2, 3, 8, 13])
def test_a_tree_of_products_takes_a_layer_a_level(n):
    def product(x):
        row = list(x)
        while len(row) > 1:
            odd = [row[-1]] if len(row) % 2 else []
            row = [a * b for a, b in zip(row[::2], row[1::2], strict=False)] + odd
        return row[0]

    _, stack = compiled(product, x=n)
    assert len(stack.layers) == ceil(log2(n))
    assert stack.width == n
    np.testing.assert_array_equal(run(stack, [[3] * n]), [[3**n]])


def test_a_linear_circuit_is_one_layer():
    matrix = np.arange(12).reshape(3, 4) - 5
    _, stack = compiled(lambda x: matrix @ x + 7, x=4)
    assert len(stack.layers) == 1
    np.testing.assert_array_equal(run(stack, [[1, 2, 3, 4]]), [matrix @ [1, 2, 3, 4] + 7])


def test_values_that_cancel_are_no_trouble():
    _, stack = compiled(lambda x, y: ((x - x) * y, (x + y - x) * (x + y - x), 0 * x + 3))
    np.testing.assert_array_equal(run(stack, [[5, 7]]), [[0, 49, 3]])


def test_a_long_chain_of_sums_is_no_recursion():
    def long(x, y):
        done = x
        for i in range(5000):
            done = done + (i % 3) * y
        return done * x

    _, stack = compiled(long)
    expected = 2 * (2 + 3 * sum(i % 3 for i in range(5000)))
    np.testing.assert_array_equal(run(stack, [[2, 3]]), [[expected]])


def test_every_row_runs_the_circuit_for_itself():
    made = traced(lambda x, y: x * y + x, {})
    stack = compile_program(by_levels(made, rows=5)).stack
    given = torch.randn(2, 5, 2, dtype=torch.float64)
    expected = given[..., :1] * given[..., 1:] + given[..., :1]
    torch.testing.assert_close(stack(given), expected)


def test_channels_carry_the_names_of_inputs_and_outputs():
    made = traced(lambda x, y: {"sum": x + y, "product": x * y}, {})
    program = by_levels(made)
    assert program.inputs[0].labels == ("x", "y")
    assert program.output.labels == ("sum", "product")


@pytest.mark.parametrize(
    ("function", "words"),
    [(lambda x: 1j * x, "complex constants"), (lambda: 3, "no inputs")],
)
def test_what_no_stack_can_be_is_refused(function, words):
    with pytest.raises(UserError, match=words):
        by_levels(traced(function, {}))
