"""The narrow layout: values row by row, routed from depth to depth, at the paper's bounds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_circuits import random_circuits

from bestiary.circuits import from_text
from bestiary.circuits.tracing import traced
from bestiary.compile.compiling import compile_program
from bestiary.compile.from_circuit import compile_circuit
from bestiary.compile.from_circuit.narrow import narrow, narrow_bound
from bestiary.errors import UserError


def run(stack, rows, d, outputs):
    """(batch, inputs) row by row, d a row, padded with zeros; the first numbers that come out."""
    width = -(-len(rows[0]) // d) * d
    given = np.zeros((len(rows), width))
    given[:, : len(rows[0])] = rows
    result = stack(torch.from_numpy(given).reshape(len(rows), -1, d))
    return result.detach().numpy().reshape(len(rows), -1)[:, :outputs]


@settings(max_examples=25, deadline=None)
@given(
    random_circuits(most_steps=12),
    st.sampled_from([1, 2, 4]),
    st.sampled_from(["causal", "circular"]),
    st.integers(0, 2**32 - 1),
)
def test_a_random_circuit_is_its_stack_within_the_bounds(made, d, mode, seed):
    drawn = made.circuit
    stack = compile_circuit(drawn, "narrow", d=d, mode=mode).stack
    rows = np.random.default_rng(seed).integers(-2, 3, (3, drawn.width_in)).tolist()
    exact = np.array([[float(v) for v in made.expected(row)] for row in rows])
    scale = max(1.0, np.abs(exact).max())
    found = run(stack, rows, d, len(drawn.results))
    assert np.abs(found - exact).max() <= 1e-9 * scale
    bound = narrow_bound(drawn, d, mode)
    assert bound.holds(len(stack.layers), stack.inner_length, stack.width)


TOO_EARLY = """
input s
input v[1]
g0 = 1 - v[0]
g1 = 1 - g0
g2 = g1 * g1
g3 = g1 + g1
g4 = g3 - g2
g5 = v[0] * g4
g6 = v[0] + g4
g7 = g6 - g5
g8 = v[0] * g7
g9 = 1 - g8
g10 = g9 * g9
g11 = g9 + g9
g12 = g11 - g10
output g1 as t
output g12 as w[1]
"""


def test_a_side_whose_routing_is_half_trivial_waits_where_it_would_take_too_many_channels():
    made = from_text(TOO_EARLY)
    at_once = compile_program(narrow(made, 2, "circular")).stack
    bound = narrow_bound(made, 2, "circular")
    assert at_once.width > bound.width == 8
    stack = compile_circuit(made, "narrow", d=2, mode="circular").stack
    assert bound.holds(len(stack.layers), stack.inner_length, stack.width)
    bits = [[s, v] for s in (0, 1) for v in (0, 1)]
    # 2a - a² is a for a bit: g1, g4, g7 and g8 are v, g9 and g12 are not.
    assert run(stack, bits, 2, 2).round(9).tolist() == [[v, 1 - v] for _, v in bits]


@pytest.mark.parametrize(("d", "level", "end"), [(1, 8 * 4 - 4, 2), (4, 8 * 2 + 4 * 2 - 2, 1)])
def test_the_bound_is_the_one_of_the_theory(d, level, end):
    made = traced(lambda x: x[:8] * x[8:] + 1, {"x": 16})
    assert made.depth == 2
    assert narrow_bound(made, d, "circular") == replace(
        narrow_bound(made, d), layers=2 * level + end, inner_rows=16 // d, width=4 * d
    )


def test_inputs_and_outputs_lie_row_by_row_padded_with_zeros():
    made = traced(lambda x: [x[0] * x[1], x[2] + x[3], x[4] - 1], {"x": 5})
    program = narrow(made, d=2)
    assert program.rows == 3
    assert program.window == (0, 2)
    stack = compile_program(program).stack
    found = stack(torch.tensor([[[2.0, 3.0], [4.0, 5.0], [6.0, 0.0]]], dtype=torch.float64))
    torch.testing.assert_close(found[0].flatten()[:3].tolist(), [6.0, 9.0, 5.0])


def test_a_larger_radix_takes_fewer_layers_and_more_channels():
    made = traced(lambda x: [(x[i] * x[(5 * i + 3) % 16]) + x[7] for i in range(16)], {"x": 16})
    shallow = compile_program(narrow(made, radix=4)).stack
    deep = compile_program(narrow(made)).stack
    assert len(shallow.layers) < len(deep.layers)
    assert shallow.width > deep.width
    rows = np.arange(16)[None] - 7
    expected = rows * rows[:, [(5 * i + 3) % 16 for i in range(16)]] + rows[:, [7]]
    for stack in (shallow, deep):
        np.testing.assert_allclose(run(stack, rows, 1, 16), expected, atol=1e-9)


def test_wrong_sizes_and_complex_constants_are_refused():
    with pytest.raises(UserError, match="d is 3"):
        narrow(traced(lambda x: x * x, {}), d=3)
    with pytest.raises(UserError, match="complex constants"):
        narrow(traced(lambda x: 1j * x, {}))


@pytest.mark.parametrize("d", [1, 2])
def test_fractions_and_floats_stand_side_by_side(d):
    # Fractions stay exact where all numbers are, and an array of numbers is of one kind.
    made = from_text("input x y\noutput x/3 + 0.5*y + 0.25 as a\noutput 1/7 as b\noutput x as c")
    stack = compile_program(narrow(made, d)).stack
    found = run(stack, [[3, 5]], d, 3)
    np.testing.assert_allclose(found, [[1 + 2.5 + 0.25, 1 / 7, 3]], rtol=1e-14)


def test_a_number_too_large_for_the_floats_beside_it_is_refused():
    made = from_text("input x y\noutput 10**400*x + 0.5*y as a")
    with pytest.raises(UserError, match=r"a constant is larger than float64 holds"):
        narrow(made)


def test_a_circuit_without_inputs_is_refused():
    with pytest.raises(UserError, match=r"^circuit has no inputs; a stack needs at least one"):
        narrow(from_text("output 3 as a"), d=2)
