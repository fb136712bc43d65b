"""Evaluation of random circuits is the arithmetic that they were made from."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_circuits import by_numpy, inputs_of, random_circuit, random_circuits

from bestiary.circuits import circuit, evaluate, evaluate_batch
from bestiary.errors import UserError


@given(st.data())
def test_whole_numbers_and_fractions_are_exact(data):
    made = data.draw(random_circuits())
    values = data.draw(inputs_of(made.circuit))
    assert evaluate(made.circuit, values) == made.expected(values)


def test_two_thousand_circuits_are_exact():
    for seed in range(2000):
        choose = by_numpy(seed)
        made = random_circuit(choose)
        values = [choose(19) - 9 for _ in range(made.circuit.width_in)]
        assert evaluate(made.circuit, values) == made.expected(values), seed


@given(st.data(), st.sampled_from([2, 3, 11, 101, 2**61 - 1]))
def test_modulo_a_number_is_the_exact_result_reduced(data, modulus):
    made = data.draw(random_circuits())
    values = data.draw(inputs_of(made.circuit, st.integers(-50, 50)))
    denominators = [Fraction(n).denominator for n in made.circuit.constants]
    if any(d % modulus == 0 for d in denominators):
        with pytest.raises(UserError, match=rf"has no value modulo {modulus}$"):
            evaluate(made.circuit, values, modulus)
        return
    expected = [Fraction(number) for number in made.expected(values)]
    reduced = [n.numerator * pow(n.denominator, -1, modulus) % modulus for n in expected]
    found = evaluate(made.circuit, values, modulus)
    assert found == reduced
    assert all(isinstance(number, int) for number in found)


def test_modulo_two_a_circuit_is_a_boolean_one():
    @circuit
    def f(a, b, c):
        return (a + b) * c + a * b - 3

    for a, b, c in np.ndindex(2, 2, 2):
        assert evaluate(f, [a, b, c], modulus=2) == [((a ^ b) & c) ^ (a & b) ^ 1]


@given(st.data())
def test_complex_numbers_are_taken(data):
    made = data.draw(random_circuits(most_steps=10))
    whole = st.builds(complex, st.integers(-3, 3), st.integers(-3, 3))
    values = data.draw(inputs_of(made.circuit, whole))
    np.testing.assert_allclose(
        np.array(evaluate(made.circuit, values), dtype=complex),
        np.array(made.expected(values), dtype=complex),
        rtol=1e-9,
        atol=1e-9,
    )


@pytest.mark.parametrize("kind", [np.float64, np.complex128, np.float32, np.int64])
@given(seed=st.integers(0, 2**32))
def test_a_batch_is_one_input_after_the_other(kind, seed):
    choose = by_numpy(seed)
    made = random_circuit(choose)
    batch = np.array([[choose(7) - 3 for _ in range(made.circuit.width_in)] for _ in range(3)])
    batch = batch.astype(kind)
    if kind is np.complex128:
        batch *= 1j
    found = evaluate_batch(made.circuit, batch)
    assert found.shape == (3, len(made.outputs))
    assert found.dtype == (np.complex128 if kind is np.complex128 else np.float64)
    expected = [[complex(n) for n in made.expected(row.tolist())] for row in batch]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_a_batch_of_fractions_is_taken_and_an_empty_one():
    @circuit
    def f(x, y):
        return x * y + Fraction(1, 2)

    given = np.array([[Fraction(1, 2), 3], [Fraction(1, 4), 2j]], dtype=object)
    np.testing.assert_array_equal(evaluate_batch(f, given[:1]), [[2.0]])
    np.testing.assert_array_equal(evaluate_batch(f, given), [[2.0], [0.5 + 0.5j]])
    assert evaluate_batch(f, np.empty((0, 2))).shape == (0, 1)


def test_a_circuit_is_called_like_its_function():
    @circuit(x=3, m=(2, 3))
    def f(x, m, s, n=2):
        return {"rows": m @ x, "power": s**n, "first": x[0]}

    found = f([1, 2, 3], m=[[1, 0, 0], [0, 1, 1]], s=Fraction(1, 2))
    assert found["rows"].tolist() == [1, 5]
    assert (found["power"], found["first"]) == (Fraction(1, 4), 1)
    assert circuit(lambda x: x * 2)(21) == 42


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda f: f([1, 2], 3, 4), "3 arguments were given to f; it takes 2"),
        (lambda f: f([1, 2], y=1, z=1), "f was given z twice or does not take it; it takes x, y"),
        (lambda f: f([1, 2], x=1), "f was given x twice or does not take it; it takes x, y"),
        (lambda f: f([1, 2]), "f was called without y"),
        (lambda f: f([1, 2, 3], 1), "x has shape (3,); f takes (2,)"),
        (lambda f: f([[1], [1, 2]], 1), "an input is [1]; a number is needed"),
        (lambda f: f(np.ma.array([1, 2], mask=[0, 1]), 1), "x has masked entries; give numbers"),
        (
            lambda f: evaluate_batch(f, np.ma.array([[1, 2, 3]], mask=[[0, 1, 0]])),
            "an array of inputs has masked entries",
        ),
        (lambda f: f([np.ones((2, 3)), np.ones((2, 4))], 1), "x is ragged; f takes (2,)"),
        (lambda f: f([1, "a"], 1), "an input is 'a'; a number is needed"),
        (lambda f: f([1, float("nan")], 1), "an input is nan; a finite number is needed"),
        (lambda f: evaluate(f, 5), "5 was given to f; a list of 3 numbers is needed"),
        (lambda f: evaluate(f, [1]), "1 numbers were given to f; it takes 3"),
        (lambda f: evaluate(f, [1, 2, 3], 1), "the modulus is 1; a whole number from 2 on is"),
        (lambda f: evaluate(f, [1, 2, 3], 2.5), "the modulus is 2.5; a whole number from 2 on"),
        (
            lambda f: evaluate(f, [1, 0.5, 3], 5),
            "0.5 is no whole number or fraction; modulo 5 only those are taken",
        ),
        (lambda f: evaluate(f, [1, 2, 3], 6), "1/2 has no value modulo 6"),
        (
            lambda f: evaluate(f, [10**400, 0.5, 1]),
            "a number of gate 3 of f is too large for the floating-point number that it meets; "
            "give whole numbers and fractions alone",
        ),
        (
            lambda f: evaluate_batch(f, [1, 2, 3]),
            "inputs of shape (3,) were given to f; (batch, 3) is needed",
        ),
        (
            lambda f: evaluate_batch(f, [[1, 2, 3], [4]]),
            "rows of different lengths were given; an array (batch, inputs) is needed",
        ),
        (
            lambda f: evaluate_batch(f, [[1, 2, 10**400]]),
            "an input is too large for a floating-point number; evaluate it exactly",
        ),
        (
            lambda f: evaluate_batch(f, [["a", "b", "c"]]),
            "inputs of type <U1 were given; numbers are needed",
        ),
        (
            lambda f: evaluate_batch(circuit(lambda x: x * 10**400), [[1]]),
            "a constant of lambda is too large for a floating-point number; evaluate it exactly",
        ),
    ],
)
def test_what_cannot_be_evaluated_is_said_in_one_sentence(call, said):
    @circuit(x=2)
    def f(x, y):
        return x[0] * x[1] + y / 2

    with pytest.raises(UserError) as error:
        call(f)
    assert said in str(error.value)
