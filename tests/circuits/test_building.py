"""Builders keep a circuit small and its numbers as exact as they were given."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, log2

import numpy as np
import pytest

from bestiary.circuits import Builder, Circuit, Operation, Port, circuit, evaluate
from bestiary.circuits.building import MOST_BITS
from bestiary.errors import UserError


def made(function, **shapes):
    return circuit(**shapes)(function)


def test_equal_gates_are_one():
    twice = made(lambda x, y: (x + y) * (y + x))
    assert (twice.size, len(twice)) == (2, 4)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x + 0,
        lambda x: 0 + x,
        lambda x: x - 0,
        lambda x: x * 1,
        lambda x: 1 * x,
        lambda x: x**1,
        lambda x: +x,
        lambda x: x * Fraction(2, 2),
        lambda x: x + x * 0,
        lambda x: x / 1,
    ],
)
def test_what_changes_nothing_is_left_out(function):
    same = made(function)
    assert same.size == 0
    assert evaluate(same, [7]) == [7]


def test_a_matrix_of_floats_costs_no_gate_where_it_is_zero():
    done = made(lambda x: np.eye(3) @ x, x=3)
    # One product by 1.0 each, which makes floats of whole numbers.
    assert done.size == 3
    assert all(isinstance(number, float) for number in evaluate(done, [1, 2, 3]))
    masked = made(lambda x, y: np.eye(3) * x * y, x=(3, 3), y=(3, 3))
    assert masked.products.sum() == 3


def test_constants_are_combined_exactly():
    done = made(lambda x: x * 2 * Fraction(1, 3) * 0 + (np.float64(0.5) + 1) * (x + 1j * 1j))
    assert evaluate(done, [3]) == [3]
    assert [type(n) for n in made(lambda x: x + Fraction(4, 2)).constants] == [int]


@pytest.mark.parametrize("exponent", range(34))
def test_powers_have_the_least_depth(exponent):
    done = made(lambda x: x**exponent)
    assert done.multiplicative_depth == (ceil(log2(exponent)) if exponent > 1 else 0)
    assert evaluate(done, [3]) == [3**exponent]
    assert done.degree == exponent


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 8, 33])
def test_totals_and_products_are_balanced_trees(n):
    builder = Builder()
    gates = builder.input("x", (n,))
    results = [builder.total(gates), builder.product(gates)]
    done = builder.finished({"y": ((2,), results)})
    values = list(range(2, n + 2))
    assert evaluate(done, values) == [sum(values), int(np.prod(np.array(values, dtype=object)))]
    assert done.depth == (ceil(log2(n)) if n > 1 else 0)


def test_what_no_output_needs_is_left_out_and_inputs_stay():
    done = made(lambda x, y, z: (x * y * z, x + 5)[1:])
    assert done.input_names == ["x", "y", "z"]
    assert (done.size, done.constants) == (1, (5,))


def test_measures_of_a_small_circuit():
    done = made(lambda x, y: ((x * y + 1) * x - 2 * y, x)[:1])
    # x·y, +1, ·x, 2·y, −: the way x·y, +1, ·x, − is the longest.
    assert (done.size, done.depth, done.multiplicative_depth) == (5, 4, 2)
    assert (done.degree, done.linear, done.width_in) == (3, False, 2)
    assert done.products.sum() == 2
    assert str(done).startswith("lambda: 2 inputs, 5 gates, depth 4, width ")


def test_errors_of_constants_name_them():
    with pytest.raises(UserError, match=r"are combined, and one is too large for a floating-point"):
        made(lambda x: x + (x * 0 + 10**400) * 0.5)
    with pytest.raises(UserError, match=rf"a constant has [\d,]+ bits; up to {MOST_BITS:,} are"):
        made(lambda x: x * 2 ** (MOST_BITS + 1))
    builder = Builder()
    gate = builder.constant(3)
    with pytest.raises(UserError, match=r"a constant has [\d,]+ bits; up to 1,048,576 are taken"):
        for _ in range(5):
            gate = builder.power(gate, 1 << 16)
    builder.input("x")
    with pytest.raises(UserError, match=r"two inputs are called x; give each a name of its own"):
        builder.input("x", (3,))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"results": [], "outputs": ()}, "the circuit bad has no outputs; give at least one"),
        ({"left": [0, 0, 2]}, "gate 2 of the circuit bad is made from 2 and 1; it needs gates"),
        ({"right": [-1, -1, -1]}, "gate 2 of the circuit bad is made from 0 and -1"),
        ({"left": [0, 1, 0]}, "gate 1 of the circuit bad is made from 1 and -1"),
        ({"operations": [0, 1, 5]}, "gate 2 of the circuit bad is made from 0 and 1"),
        ({"operations": [1, 1, 2]}, "takes 1 numbers and has 0 gates of inputs; one each is"),
        ({"inputs": (Port("x"), Port("x"))}, "two inputs are called x; give each a name of its"),
        ({"outputs": (Port("y", (2,)),)}, "gives 1 numbers; its outputs have 2 in all"),
        ({"results": [3]}, "an output of the circuit bad is a gate that is not there"),
    ],
)
def test_circuits_that_cannot_be_are_refused_when_they_are_made(change, said):
    sound = {
        "operations": [Operation.INPUT, Operation.CONSTANT, Operation.ADD],
        "left": [0, 0, 0],
        "right": [-1, -1, 1],
        "constants": (5,),
        "inputs": (Port("x"),),
        "outputs": (Port("y"),),
        "results": [2],
        "name": "bad",
    }

    def build(parts):
        kinds = {"operations": np.int8, "left": np.int64, "right": np.int64, "results": np.int64}
        return Circuit(**{k: np.array(v, kinds[k]) if k in kinds else v for k, v in parts.items()})

    assert evaluate(build(sound), [2]) == [7]
    with pytest.raises(UserError) as error:
        build(sound | change)
    assert said in str(error.value)
