from __future__ import annotations

import pytest
from exact_results import exact, few, made
from hypothesis import given
from hypothesis import strategies as st

from bestiary.circuits import circuit, to_bits
from bestiary.circuits.library.comparators import exchange


def expected(a, b):
    return {"less": int(a < b), "equal": int(a == b), "greater": int(a > b)}


@pytest.mark.parametrize("n", range(1, 6))
def test_all_numbers_of_a_few_bits_are_compared(n):
    for a in range(2**n):
        for b in range(2**n):
            pair = to_bits(a, n), to_bits(b, n)
            assert made("comparator", n)(*pair) == expected(a, b)
            assert exact(made("equality", n)(*pair)) == int(a == b)


@few
@given(st.data(), st.integers(6, 40))
def test_long_numbers_that_differ_in_few_places_are_compared(data, n):
    a = data.draw(st.integers(0, 2**n - 1))
    b = a ^ data.draw(st.sampled_from([0, 1, 1 << n // 2, 1 << n - 1, 2**n - 1]))
    assert made("comparator", n)(to_bits(a, n), to_bits(b, n)) == expected(a, b)
    assert exact(made("equality", n)(to_bits(a, n), to_bits(b, n))) == int(a == b)


def exchanged(n):
    @circuit(a=n, b=n)
    def both(a, b):
        lesser, greater, kept = exchange(a, b)
        return {"lesser": lesser, "greater": greater, "kept": kept}

    return both


@pytest.mark.parametrize("n", range(1, 6))
def test_an_exchange_gives_the_lesser_the_greater_and_whether_they_stay(n):
    both = exchanged(n)
    for a in range(2**n):
        for b in range(2**n):
            found = both(to_bits(a, n), to_bits(b, n))
            assert exact(found["lesser"]) == to_bits(min(a, b), n)
            assert exact(found["greater"]) == to_bits(max(a, b), n)
            assert found["kept"] == int(a <= b)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 9, 16])
def test_an_exchange_is_no_deeper_than_a_comparison(n):
    assert exchanged(n).multiplicative_depth == made("comparator", n).multiplicative_depth
