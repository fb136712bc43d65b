"""Circuits re-arranged by degree: the same polynomials, of logarithmic multiplicative depth."""

from __future__ import annotations

from itertools import combinations
from math import ceil, log2, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_circuits import inputs_of, random_circuits

from bestiary.circuits import balanced, evaluate
from bestiary.circuits.library import LIBRARY
from bestiary.circuits.parallel import parallelised
from bestiary.circuits.tracing import traced


def levels_allowed(degree):
    """Three products halve a degree."""
    return 3 * ceil(log2(degree)) + 1


@settings(deadline=None)
@given(st.data(), st.sampled_from([6, 40, 400]))
def test_a_random_circuit_gives_the_same_and_is_no_deeper(data, degree):
    made = data.draw(random_circuits(most_steps=50, most_degree=degree, kinds="+-***c"))
    drawn = made.circuit
    done = parallelised(drawn)
    values = data.draw(inputs_of(drawn))
    assert evaluate(done, values) == made.expected(values)
    assert done.multiplicative_depth <= drawn.multiplicative_depth
    assert done.multiplicative_depth <= max(1, levels_allowed(max(2, drawn.degree)))
    assert (done.inputs, done.outputs) == (drawn.inputs, drawn.outputs)


@pytest.mark.parametrize("n", [8, 33, 100])
def test_horner_s_rule_and_long_products_become_logarithmic(n):
    def horner(a, x):
        value = a[0]
        for coefficient in a[1:]:
            value = value * x + coefficient
        return value

    def product(x):
        done = x[0]
        for factor in x[1:]:
            done = done * factor
        return done

    deep = traced(horner, {"a": n})
    done = parallelised(deep)
    assert done.multiplicative_depth <= levels_allowed(deep.degree)
    assert evaluate(done, [*range(n), 2]) == [sum(c * 2 ** (n - 1 - c) for c in range(n))]
    chain = parallelised(traced(product, {"x": n}))
    assert chain.multiplicative_depth <= levels_allowed(n)
    assert evaluate(chain, list(range(1, n + 1))) == [prod(range(1, n + 1))]


@pytest.mark.parametrize("n", [8, 24])
def test_all_states_of_a_recurrence_become_logarithmic_where_balancing_cannot(n):
    def states(a, b):
        done = [b[0]]
        for factor, term in zip(a[1:], b[1:], strict=True):
            done.append(factor * done[-1] - term)
        return np.array(done, dtype=object)

    slow = traced(states, {"a": n, "b": n})
    assert balanced(slow) is slow
    done = parallelised(slow)
    assert done.multiplicative_depth <= 2 * ceil(log2(n)) < slow.multiplicative_depth
    a, b = [3, -1, 2] * n, [1, 4, -2, 5] * n
    expected = [b[0]]
    for i in range(1, n):
        expected.append(a[i] * expected[-1] - b[i])
    assert evaluate(done, [*a[:n], *b[:n]]) == expected


def test_dynamic_programming_becomes_logarithmic():
    def elementary(x):
        found = [1] + [0] * len(x)
        for i, value in enumerate(x):
            for k in range(i + 1, 0, -1):
                found[k] = found[k] + found[k - 1] * value
        return np.array(found[1:], dtype=object)

    slow = traced(elementary, {"x": 12})
    assert slow.multiplicative_depth == 11
    done = parallelised(slow)
    assert done.multiplicative_depth <= 6
    values = list(range(-5, 7))
    expected = [sum(prod(some) for some in combinations(values, k)) for k in range(1, 13)]
    assert evaluate(done, values) == expected


@pytest.mark.parametrize("n", [4, 6])
def test_berkowitz_s_determinant_needs_fewer_levels(n):
    slow = LIBRARY["determinant"].make(n)
    done = parallelised(slow)
    assert done.multiplicative_depth <= slow.multiplicative_depth
    if n == 6:
        assert done.multiplicative_depth == ceil(log2(6)) < slow.multiplicative_depth
    matrix = np.random.default_rng(n).integers(-4, 5, (n, n))
    (found,) = evaluate(done, matrix.ravel().tolist())
    assert found == round(np.linalg.det(matrix))


def test_constants_on_the_way_are_kept():
    def scaled(x, y):
        value = x
        for i in range(9):
            value = (3 - 2 * (value * 5)) * y + i if i % 2 else (7 * value + 1) * (-1)
        return value * value

    slow = traced(scaled, {})
    assert evaluate(parallelised(slow), [2, -1]) == [scaled(2, -1)]


def test_what_is_shallow_or_would_grow_too_much_stays_as_it_is():
    tree = traced(lambda x: (x[0] * x[1]) * (x[2] * x[3]), {"x": 4})
    assert parallelised(tree) is tree
    linear = traced(lambda x, y: x - 2 * y, {})
    assert parallelised(linear) is linear
    slow = LIBRARY["linear-rnn-sequential"].make(16)
    assert parallelised(slow, most=slow.size) is slow
    assert parallelised(slow).multiplicative_depth < slow.multiplicative_depth
