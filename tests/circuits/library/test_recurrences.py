from __future__ import annotations

import numpy as np
import pytest
from exact_results import exact, few, made, matrices
from hypothesis import given
from hypothesis import strategies as st

from bestiary.circuits.library.recurrences import diagonal_recurrence
from bestiary.errors import UserError

METHODS = ["sequential", "prefix"]
small = st.integers(-9, 9)


def array(rows):
    return np.array(rows, dtype=object)


@few
@given(st.data(), st.integers(1, 12), st.integers(1, 3), st.sampled_from(METHODS))
def test_diagonal_recurrences_run_each_channel_on(data, n, channels, method):
    a, b, x = (array(data.draw(matrices(n, channels))) for _ in range(3))
    state, expected = array([0] * channels), []
    for t in range(n):
        state = a[t] * state + b[t] * x[t]
        expected.append(state.tolist())
    circuit = made(f"diagonal-recurrence-{method}", n, channels=channels)
    assert exact(circuit(a, b, x)) == expected


@few
@given(st.data(), st.integers(1, 12), st.integers(1, 4), st.sampled_from(METHODS))
def test_linear_recurrences_look_back_some_steps(data, n, steps, method):
    c, u = data.draw(matrices(n, steps, small)), data.draw(matrices(1, n, small))[0]
    terms = [0] * steps
    for row, term in zip(c, u, strict=True):
        terms.append(term + sum(factor * terms[-1 - j] for j, factor in enumerate(row)))
    assert exact(made(f"linear-recurrence-{method}", n, steps=steps)(c, u)) == terms[steps:]


@pytest.mark.parametrize("method", METHODS)
def test_fibonacci_numbers_are_a_recurrence_of_two_steps(method):
    circuit = made(f"linear-recurrence-{method}", 10)
    assert exact(circuit([[1, 1]] * 10, [1, *[0] * 9])) == [1, 1, 2, 3, 5, 8, 13, 21, 34, 55]


def states(w, u, x, activation):
    state, found = array([0] * len(w)), []
    for row in x:
        state = activation(w @ state + u @ row)
        found.append(state.tolist())
    return found


@few
@given(st.data(), st.integers(1, 10), st.integers(1, 3), st.integers(1, 2))
def test_linear_networks_apply_one_matrix_again_and_again(data, n, size, inputs):
    w = array(data.draw(matrices(size, size, small)))
    u, x = array(data.draw(matrices(size, inputs))), array(data.draw(matrices(n, inputs)))
    for method in METHODS:
        circuit = made(f"linear-rnn-{method}", n, size=size, inputs=inputs)
        assert exact(circuit(w, u, x)) == states(w, u, x, lambda state: state)


@few
@given(st.data(), st.integers(1, 5), st.integers(1, 3), st.integers(1, 2))
def test_square_networks_square_every_state(data, n, size, inputs):
    w = array(data.draw(matrices(size, size, small)))
    u, x = array(data.draw(matrices(size, inputs))), array(data.draw(matrices(n, inputs)))
    circuit = made("square-rnn", n, size=size, inputs=inputs)
    assert exact(circuit(w, u, x)) == states(w, u, x, lambda state: state**2)


def test_a_method_that_there_is_not_is_said():
    with pytest.raises(UserError, match="method is 'scan'; sequential, prefix are accepted"):
        diagonal_recurrence(4, method="scan")
