"""Adders on all numbers of a few bits, and of the depth they state."""

from __future__ import annotations

from math import ceil, log2

import pytest
from all_inputs import number, results_of, traced_bits

from bestiary.circuits import (
    evaluate,
    full_adder,
    half_adder,
    lookahead_add,
    multiply_bits,
    ripple_add,
    subtract_bits,
    to_bits,
)


def rounds(n):
    """⌈log2 n⌉."""
    return ceil(log2(n)) if n > 1 else 0


def test_half_and_full_adders_are_sums():
    arguments, found, made = results_of(half_adder, 0, 0)
    assert [one + 2 * carry for one, carry in found] == [sum(given) for given in arguments]
    assert (made.multiplicative_depth, made.products.sum()) == (1, 1)
    arguments, found, made = results_of(full_adder, 0, 0, 0)
    assert [one + 2 * carry for one, carry in found] == [sum(given) for given in arguments]
    assert (made.multiplicative_depth, made.products.sum()) == (2, 2)


@pytest.mark.parametrize("n", range(1, 6))
@pytest.mark.parametrize("add", [ripple_add, lookahead_add])
def test_sums_of_all_numbers(add, n):
    arguments, found, _ = results_of(add, n, n)
    assert [number(bits) for bits in found] == [number(a) + number(b) for a, b in arguments]
    assert all(len(bits) == n + 1 for bits in found)


@pytest.mark.parametrize("add", [ripple_add, lookahead_add])
def test_sums_with_a_carry_and_of_two_lengths(add):
    arguments, found, _ = results_of(add, 3, 3, 0)
    assert [number(bits) for bits in found] == [number(a) + number(b) + c for a, b, c in arguments]
    arguments, found, _ = results_of(add, 2, 4)
    assert [number(bits) for bits in found] == [number(a) + number(b) for a, b in arguments]
    assert add([], [], 1) == [1]
    assert add([1, 1], [1], 1) == [1, 0, 1]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 16, 33])
def test_depths_of_sums(n):
    assert traced_bits(ripple_add, n, n).multiplicative_depth == n
    assert traced_bits(ripple_add, n, n, 0).multiplicative_depth == n + 1
    assert traced_bits(ripple_add, n, n).products.sum() <= 3 * n
    assert traced_bits(lookahead_add, n, n).multiplicative_depth <= rounds(n) + 2
    assert traced_bits(lookahead_add, n, n, 0).multiplicative_depth <= rounds(n) + 3
    assert traced_bits(subtract_bits, n, n).multiplicative_depth <= rounds(n) + 2


@pytest.mark.parametrize("n", range(1, 6))
def test_differences_of_all_numbers(n):
    arguments, found, _ = results_of(subtract_bits, n, n)
    for (a, b), (*bits, below) in zip(arguments, found, strict=True):
        assert number(bits) == (number(a) - number(b)) % (1 << n)
        assert below == (number(a) < number(b))


@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (5, 2), (1, 6)])
def test_products_of_all_numbers(n, m):
    arguments, found, _ = results_of(multiply_bits, n, m)
    assert [number(bits) for bits in found] == [number(a) * number(b) for a, b in arguments]
    assert all(len(bits) == n + m for bits in found)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 2), (3, 3), (4, 4), (6, 3), (8, 8), (16, 16)])
def test_depths_of_products(n, m):
    wallace, rows = 0, min(n, m)
    while rows > 2:
        wallace, rows = wallace + 1, ceil(2 * rows / 3)
    made = traced_bits(multiply_bits, n, m)
    assert made.multiplicative_depth <= 2 * wallace + rounds(n + m) + 3
    a, b = (1 << n) - 1, (1 << m) - 2
    found = evaluate(made, [*to_bits(a, n), *to_bits(max(b, 0), m)])
    assert number(found) == a * max(b, 0)


def test_products_with_nothing_are_nothing():
    assert multiply_bits([], []) == []
    assert multiply_bits([1, 1], []) == [0, 0]
