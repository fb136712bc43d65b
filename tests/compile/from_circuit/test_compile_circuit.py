"""Circuits compiled by layout: exact after every pass, within bounds; wrong settings refused."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_circuits import random_circuits

from bestiary.circuits import balanced, from_json, from_text, parallelised
from bestiary.circuits.tracing import traced
from bestiary.compile.compiling import compile_program
from bestiary.compile.from_circuit import circuit_bounds, compile_circuit
from bestiary.compile.from_circuit.arrays import arrays
from bestiary.compile.from_circuit.narrow import narrow_bound
from bestiary.compile.interpret import interpret
from bestiary.compile.optimize import Optimize
from bestiary.compile.report import measure
from bestiary.errors import UserError


@settings(deadline=None, max_examples=50)
@given(random_circuits(), st.booleans(), st.integers(0, 2**32 - 1))
def test_a_wide_circuit_is_exact_and_within_its_bound(made, balance, seed):
    drawn = made.circuit
    compiled = compile_circuit(drawn, balance=balance)
    bound = circuit_bounds(drawn)["bound, wide"]
    assert len(compiled.stack.layers) <= bound.layers
    if not balance:
        assert compiled.stack.width <= bound.width
    row = np.random.default_rng(seed).integers(-2, 3, drawn.width_in)
    exact = made.expected(row.tolist())
    # The program before and after every pass, in whole numbers and fractions.
    for program in (compiled.source, *compiled.stages.values()):
        assert interpret(program, row[None, None], exactly=True).ravel().tolist() == exact


@settings(deadline=None, max_examples=30)
@given(random_circuits(), st.integers(0, 2**32 - 1))
def test_the_program_of_arrays_is_exact(made, seed):
    drawn = made.circuit
    row = np.random.default_rng(seed).integers(-2, 3, drawn.width_in)
    given_row = row[None, None]
    found = interpret(arrays(drawn), given_row, exactly=True).ravel().tolist()
    assert found == made.expected(row.tolist())


def test_products_that_are_ready_early_do_not_wait_for_their_level():
    # x·y waits for a sum, u·v does not: placed by itself a product is earlier than its level.
    def late_and_early(x, y, u, v, w):
        late = (x * x + y * y) * (u * u + v * v)
        return late * w

    made = traced(late_and_early, {})
    best = compile_circuit(made)
    assert len(best.stack.layers) <= 5
    row = torch.tensor([[[1.0, 2.0, 3.0, 4.0, 5.0]]], dtype=torch.float64)
    assert best.stack(row).item() == 5 * 25 * 5


def test_the_solver_is_never_worse_than_the_heuristic():
    made = traced(lambda x, y, z: (x * y + z) * (y * z + x) + x * z, {})
    heuristic = compile_program(arrays(made)).stack
    best = compile_circuit(made, optimize=Optimize(seconds=5)).stack
    assert len(best.layers) <= len(heuristic.layers)
    row = torch.tensor([[[2.0, 3.0, 5.0]]], dtype=torch.float64)
    assert best(row).item() == (2 * 3 + 5) * (3 * 5 + 2) + 2 * 5


def costs(compiled):
    return len(compiled.stack.layers), measure(compiled).parameters.nonzero


@settings(deadline=None, max_examples=12)
@given(random_circuits(most_steps=20, kinds="+-**c"), st.integers(0, 2**32 - 1))
def test_auto_is_exact_and_the_cheapest_of_the_wide_ways(made, seed):
    drawn = made.circuit
    chosen = compile_circuit(drawn, layout="auto")
    for options in (
        {},
        {"balance": True},
        {"expand": 4.0},
        {"balance": True, "expand": 4.0},
        {"parallel": True},
    ):
        other = compile_circuit(drawn, **options)
        assert costs(chosen) <= costs(other)
        assert within(other)
    assert within(chosen)
    row = np.random.default_rng(seed).integers(-2, 3, drawn.width_in)
    found = interpret(chosen.placed, row[None, None], exactly=True).ravel().tolist()
    assert found == made.expected(row.tolist())


def test_a_recurrence_made_parallel_takes_logarithmic_layers():
    def states(a, b):
        done = [b[0]]
        for factor, term in zip(a[1:], b[1:], strict=True):
            done.append(factor * done[-1] + term)
        return np.array(done, dtype=object)

    made = traced(states, {"a": 16, "b": 16})
    slow = compile_circuit(made, balance=True)
    fast = compile_circuit(made, parallel=True)
    assert len(slow.stack.layers) >= 15
    assert len(fast.stack.layers) <= 2 * 5 + 1
    assert costs(compile_circuit(made, layout="auto")) <= costs(fast)
    row = np.random.default_rng(0).integers(-2, 3, 32)
    found = interpret(fast.placed, row[None, None], exactly=True).ravel().tolist()
    a, b = row[:16].tolist(), row[16:].tolist()
    assert found == states(a, b).tolist()


def test_auto_turns_narrow_where_no_wide_stack_has_so_few_channels():
    # Six inputs, so that no row of four channels holds them.
    made = traced(lambda x: (x[0] + x[1] - x[2]) * (x[3] + 2 * x[4]) + x[5], {"x": 6})
    chosen = compile_circuit(made, layout="auto", channels=4)
    assert chosen.stack.width <= 4
    assert (chosen.source.rows, chosen.source.width) == (6, 1)
    rows = np.array([5, 1, 2, 3, -4, 7]).reshape(1, 6, 1)
    found = interpret(chosen.placed, rows, exactly=True).ravel().tolist()
    assert found[0] == (5 + 1 - 2) * (3 - 8) + 7
    # These are enough for a wide one.
    assert compile_circuit(made, layout="auto", channels=12).source.rows == 1
    with pytest.raises(UserError, match=r"^channels is 1, too few for .*: 4 are enough$"):
        compile_circuit(made, layout="auto", channels=1)


def test_what_is_compiled_says_its_layout_and_the_bound_of_that():
    # Twelve inputs fit into no row of fewer channels.
    made = traced(lambda x: (x[0] + 1) * (x[10] * x[11] + x[5]), {"x": 12})
    for mode in ("causal", "circular"):
        chosen = compile_circuit(made, layout="auto", channels=7, mode=mode)
        assert (chosen.layout, chosen.d, chosen.source.width) == ("narrow", 1, 1)
        assert chosen.bound == narrow_bound(made, 1, mode)
        assert within(chosen)
    assert compile_circuit(made, layout="narrow", d=2, radix=4).bound is None
    wide = compile_circuit(made, layout="auto", channels=40)
    assert (wide.layout, wide.d, wide.circuit, wide.rearranged) == ("wide", 1, made, "")
    # 2 · 2 + 1 layers, for two products one after the other.
    assert wide.bound is not None and wide.bound.layers == 5
    assert within(wide)


def test_auto_takes_the_narrow_stack_of_the_fewest_layers_that_fits():
    made = traced(lambda x: (x[0] + 1) * (x[10] * x[11] + x[5]), {"x": 12})
    chosen = compile_circuit(made, layout="auto", channels=8)
    assert chosen.stack.width <= 8
    for d, radix in ((1, 2), (2, 2), (1, 4)):
        other = compile_circuit(made, layout="narrow", d=d, radix=radix)
        assert other.stack.width <= 8
        assert len(chosen.stack.layers) <= len(other.stack.layers)
    rows = np.arange(1, 13).reshape(1, 12, 1)
    found = interpret(chosen.placed, rows, exactly=True).ravel().tolist()
    assert found[0] == (1 + 1) * (11 * 12 + 6)


def test_the_bound_of_a_wide_stack_leaves_out_what_was_given_up():
    def sums(a, b):
        for _ in range(3):
            a, b = (a + b) * (a - b), (a + 2 * b) * (3 * a - b)
        return a

    made = traced(sums, {})
    plain, expanded = compile_circuit(made), compile_circuit(made, expand=4.0)
    assert plain.bound == circuit_bounds(made)["bound, wide"]
    assert len(expanded.stack.layers) < len(plain.stack.layers)
    assert expanded.bound is not None
    assert (expanded.bound.layers, expanded.bound.width) == (7, None)
    # A product of two inputs gains nothing by expansion, and is the wide stack that it was.
    product = traced(lambda x, y: x * y, {})
    assert compile_circuit(product, expand=4.0).bound == circuit_bounds(product)["bound, wide"]


def test_auto_says_which_form_of_a_circuit_it_took():
    def horner(x, a):
        value = a[0]
        for coefficient in a[1:]:
            value = value * x + coefficient
        return value

    made = traced(horner, {"a": 12})
    chosen = compile_circuit(made, layout="auto")
    assert chosen.rearranged in ("balanced", "parallel")
    forms = {"balanced": balanced(made), "parallel": parallelised(made)}
    depth = forms[chosen.rearranged].multiplicative_depth
    assert chosen.circuit.multiplicative_depth == depth < made.multiplicative_depth
    assert chosen.bound is not None and chosen.bound.layers == 2 * depth + 1
    assert within(chosen)


def within(compiled):
    """Whether a stack is within the bound that is said of it."""
    stack = compiled.stack
    return compiled.bound.holds(len(stack.layers), stack.inner_length, stack.width)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"layout": "wid"}, "wide"),
        ({"d": 2}, "of the narrow layout"),
        ({"layout": "narrow", "rows": 3}, "of the wide layout"),
        ({"layout": "narrow", "expand": 2.0}, "of the wide layout"),
        ({"layout": "auto", "d": 2}, "of the narrow layout, not of layout 'auto'"),
        ({"layout": "auto", "optimize": Optimize(seconds=1)}, "not of layout 'auto'"),
    ],
)
def test_settings_of_another_layout_are_refused(options, words):
    with pytest.raises(UserError, match=words):
        compile_circuit(traced(lambda x: x * x, {}), **options)


UNUSED = """{"format": "bestiary circuit", "version": 1, "name": "f", "constants": [],
"inputs": [["x", [2]]], "outputs": [["out", [2]]], "names": {}, "results": [2, 3],
"gates": [["input", 0], ["input", 1], ["multiply", 0, 1], ["add", 0, 0], ["multiply", 2, 2],
["multiply", 4, 3], ["add", 5, 4]]}"""


@pytest.mark.parametrize(
    "settings", [{}, {"channels": 3}, {"expand": 4.0}, {"layout": "auto"}, {"layout": "narrow"}]
)
def test_gates_that_no_output_needs_cost_nothing(settings):
    # The gates of a JSON document are kept as they are; these three are deeper than any output.
    made = from_json(UNUSED)
    rows = [[3], [5]] if settings == {"layout": "narrow"} else [[3, 5]]
    stack = compile_circuit(made, **settings).stack
    found = stack(torch.tensor([rows], dtype=torch.float64)).flatten().tolist()
    assert found[:2] == [15, 6]
    lean = compile_circuit(traced(lambda x: [x[0] * x[1], x[0] + x[0]], {"x": 2}), **settings)
    assert len(stack.layers) == len(lean.stack.layers)


def test_a_sum_of_numbers_that_no_float_holds_is_refused():
    made = from_text("input x\noutput 10**400*x + 0.5*x as a")
    for layout in ("wide", "narrow", "auto"):
        with pytest.raises(UserError, match="a constant is larger than float64 holds"):
            compile_circuit(made, layout)
