"""Balanced circuits are the same polynomials, of the depth that is known to do."""

from __future__ import annotations

from math import ceil, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_circuits import inputs_of, random_circuits

from bestiary.circuits import Circuit, circuit, evaluate
from bestiary.circuits.balance import balanced
from bestiary.circuits.tracing import traced


@settings(deadline=None)
@given(st.data())
def test_a_balanced_circuit_gives_the_same_and_is_no_deeper(data):
    made = data.draw(random_circuits(most_steps=50, most_degree=200))
    drawn = made.circuit
    values = data.draw(inputs_of(drawn))
    done = balanced(drawn)
    assert evaluate(done, values) == made.expected(values)
    assert done.multiplicative_depth <= drawn.multiplicative_depth
    assert done.inputs == drawn.inputs
    assert done.outputs == drawn.outputs


@pytest.mark.parametrize("n", [2, 3, 8, 9, 100, 1000])
def test_a_chain_of_products_becomes_a_tree(n):
    def product(x):
        done = x[0]
        for factor in x[1:]:
            done = done * factor
        return done

    chain = traced(product, {"x": n})
    assert chain.multiplicative_depth == n - 1
    done = balanced(chain)
    assert done.multiplicative_depth == ceil(log2(n))
    assert done.products.sum() == n - 1
    values = [2] * n
    assert evaluate(done, values) == [2**n]


@pytest.mark.parametrize("n", [3, 10, 64, 500])
def test_horner_becomes_logarithmic(n):
    def horner(a, x):
        value = a[0]
        for coefficient in a[1:]:
            value = value * x + coefficient
        return value

    slow = traced(horner, {"a": n})
    assert slow.multiplicative_depth == n - 1
    done = balanced(slow)
    assert done.multiplicative_depth <= ceil(log2(n)) + 1
    coefficients = list(range(1, n + 1))
    expected = sum(c * 3 ** (n - 1 - i) for i, c in enumerate(coefficients))
    assert evaluate(done, [*coefficients, 3]) == [expected]


@pytest.mark.parametrize("n", [8, 64, 300])
def test_a_linear_recurrence_becomes_logarithmic(n):
    def last_state(a, b):
        state = b[0]
        for factor, term in zip(a[1:], b[1:], strict=True):
            state = factor * state - term
        return state

    slow = traced(last_state, {"a": n, "b": n})
    done = balanced(slow)
    assert done.multiplicative_depth <= ceil(log2(n)) + 1
    a, b = np.arange(n) % 3 - 1, np.arange(n) % 5 - 2
    state = int(b[0])
    for factor, term in zip(a[1:].tolist(), b[1:].tolist(), strict=True):
        state = factor * state - term
    assert evaluate(done, [*a.tolist(), *b.tolist()]) == [state]


def test_what_is_used_twice_is_not_computed_twice():
    @circuit(x=8)
    def prefixes(x):
        done = [x[0]]
        for factor in x[1:]:
            done.append(done[-1] * factor)
        return np.array(done)

    assert isinstance(prefixes, Circuit)
    # Every partial product comes out, so there is no chain to re-associate.
    assert balanced(prefixes) is prefixes


def test_a_deep_uneven_way_does_not_recurse_without_end():
    def uneven(x):
        # Factors of falling level: every split leaves one step on one side.
        powers = [x]
        for _ in range(400):
            powers.append(powers[-1] * x)
        done = powers[0]
        for power in powers[1:]:
            done = done * (power + 1)
        return done

    slow = traced(uneven, {})
    assert evaluate(balanced(slow), [1]) == [2**400]
