from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.compile.compiling import compile_program
from bestiary.compile.expression import Value, concat, input_array
from bestiary.compile.interpret import interpret
from bestiary.compile.program import Program
from bestiary.solvers.bitonic import (
    Stage,
    exchanged,
    layers_of_stage,
    moved,
    sorted_rows,
    stages,
    swapped,
)


def signs(numbers, bits):
    """(rows, bits) of ±1, the highest bit first."""
    return ((np.asarray(numbers)[:, None] >> np.arange(bits)[::-1]) & 1) * 2.0 - 1


def run(output, inputs, arrays):
    rows = len(arrays[0])
    return interpret(Program(tuple(inputs), output, rows=rows), np.concatenate(arrays, axis=1))


@settings(max_examples=30, deadline=None)
@given(data=st.data(), bits=st.integers(1, 3), more=st.integers(0, 2))
def test_rows_are_sorted_and_what_goes_with_them_too(data, bits, more):
    rows, compared = 2**bits, bits + more
    number = st.integers(0, 2**compared - 1)
    numbers = data.draw(st.lists(number, min_size=rows, max_size=rows, unique=True))
    key, beside = input_array("key", compared), input_array("beside", 1)
    order, _ = sorted_rows(concat([key, beside]), compared, bits)
    payload = np.array(numbers)[:, None] - 1.5
    found = run(order, [key, beside], [signs(numbers, compared), payload])
    np.testing.assert_array_equal(found[:, :compared], signs(sorted(numbers), compared))
    np.testing.assert_array_equal(found[:, compared] + 1.5, sorted(numbers))


def test_the_stages_of_eight_rows_are_batcher_s():
    """By hand: step, and the rows of which the lower one gets the greater number."""
    told = [(s.step, np.flatnonzero(s.lower * (s.direction > 0)).tolist()) for s in stages(3)]
    assert told == [
        (1, [1, 5]),
        (2, [2, 3]),
        (1, [1, 3]),
        (4, [4, 5, 6, 7]),
        (2, [2, 3, 6, 7]),
        (1, [1, 3, 5, 7]),
    ]


@pytest.mark.parametrize("exchange", [moved, exchanged])
@given(data=st.data(), step=st.sampled_from([1, 2, 4]))
@settings(max_examples=20, deadline=None)
def test_pairs_that_are_marked_change_places_and_others_stay(exchange, data, step):
    lower = [row for row in range(8) if row & step]
    marked = data.draw(st.sets(st.sampled_from(lower)))
    swap = np.array([[float(row in marked)] for row in range(8)])
    values = np.random.default_rng(0).normal(size=(8, 3))
    right = values.copy()
    for row in marked:
        right[[row, row - step]] = right[[row - step, row]]
    x, mark = input_array("x", 3), input_array("swap", 1)
    found = run(exchange(x, mark, step), [x, mark], [values, swap])
    np.testing.assert_allclose(found, right, atol=1e-15)


@pytest.mark.parametrize("compared", [1, 2, 3])
def test_a_pair_is_swapped_where_the_upper_row_is_greater_or_less_by_the_direction(compared):
    key = input_array("key", compared)
    for upper, lower in permutations(range(2**compared), 2):
        for direction in (1, -1):
            stage = Stage(1, np.array([0.0, 1.0]), np.full(2, float(direction)))
            found = run(swapped(key, stage), [key], [signs([upper, lower], compared)])
            assert found.tolist() == [[0], [direction * upper > direction * lower]]


@pytest.mark.parametrize("compared", [1, 2, 3, 4, 5, 8])
def test_each_further_stage_takes_the_layers_of_the_theory(compared):
    """⌈log2 B⌉ + 4: fetch, tree, and three more."""
    stated = {1: 4, 2: 5, 3: 6, 4: 6, 5: 7, 8: 7}[compared]
    assert layers_of_stage(compared) == stated

    def layers(count: int) -> int:
        x: Value = input_array("x", compared + 1)
        given = (x,)
        for stage in list(stages(3))[:count]:
            x = moved(x, swapped(x[:compared], stage), stage.step)
        return len(compile_program(Program(given, x, rows=8)).stack.layers)

    few, more = layers(2), layers(4)
    assert more - few <= 2 * stated
