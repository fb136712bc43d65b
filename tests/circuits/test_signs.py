"""Bits as signs are the bits, and exclusive or of them is a product alone."""

from __future__ import annotations

from math import ceil, log2

import numpy as np
import pytest
from all_inputs import results_of, traced_bits

from bestiary.circuits import (
    and_signs,
    circuit,
    distance_signs,
    from_signs,
    not_signs,
    or_signs,
    parity_signs,
    select_signs,
    to_signs,
    xnor_signs,
    xor_signs,
)
from bestiary.errors import UserError

GATES = {
    "not": (not_signs, 1, lambda a: not a, 0),
    "xor": (xor_signs, 2, lambda a, b: a != b, 1),
    "xnor": (xnor_signs, 2, lambda a, b: a == b, 1),
    "and": (and_signs, 2, lambda a, b: a and b, 1),
    "or": (or_signs, 2, lambda a, b: a or b, 1),
    "select": (select_signs, 3, lambda bit, a, b: a if bit else b, 1),
}


def bit(sign):
    return {1: 0, -1: 1}[sign]


@pytest.mark.parametrize("what", GATES)
def test_gates_of_signs_are_their_truth_tables(what):
    function, arity, truth, depth = GATES[what]
    arguments, found, made = results_of(function, *[0] * arity, coding=(1, -1))
    assert [bit(sign) for (sign,) in found] == [int(truth(*map(bit, given))) for given in arguments]
    assert made.multiplicative_depth == depth


@pytest.mark.parametrize("n", range(1, 7))
def test_parity_is_one_product_of_all(n):
    arguments, found, made = results_of(parity_signs, n, coding=(1, -1))
    assert [bit(sign) for (sign,) in found] == [sum(map(bit, x)) % 2 for (x,) in arguments]
    assert made.size == made.products.sum() == n - 1
    assert made.multiplicative_depth == (ceil(log2(n)) if n > 1 else 0)


@pytest.mark.parametrize("n", range(1, 5))
def test_the_distance_counts_where_signs_differ(n):
    arguments, found, made = results_of(distance_signs, n, n, coding=(1, -1))
    expected = [[sum(x != y for x, y in zip(a, b, strict=True))] for a, b in arguments]
    assert found == expected
    assert made.multiplicative_depth == 1


def test_bits_to_signs_and_back():
    assert [to_signs(0), to_signs(1), from_signs(1), from_signs(-1)] == [1, -1, 0, 1]
    assert to_signs([0, 1, 1]).tolist() == [1, -1, -1]
    assert from_signs([1, -1]).tolist() == [0, 1]
    assert all(isinstance(value, int) for value in from_signs(np.array([1, -1])).tolist())
    made = traced_bits(lambda x: from_signs(to_signs(x)), 3)
    assert made.multiplicative_depth == 0
    assert made([0, 1, 1]).tolist() == [0, 1, 1]
    assert circuit(bits=2)(to_signs)([1, 0]).tolist() == [-1, 1]


def test_bits_of_eight_bits_become_signs():
    bits = np.array([0, 1, 1], dtype=np.uint8)
    assert to_signs(bits).tolist() == [1, -1, -1]
    assert to_signs(bits == 1).tolist() == [1, -1, -1]


def test_a_selection_takes_vectors():
    assert select_signs(-1, [1, 2], [3, 4]).tolist() == [1, 2]
    assert select_signs(1, [1, 2], [3, 4]).tolist() == [3, 4]


def test_sequences_of_different_lengths_have_no_distance():
    with pytest.raises(UserError, match="1 and 2 signs were compared; both need as many"):
        distance_signs([1], [1, -1])
