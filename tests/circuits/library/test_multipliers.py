from __future__ import annotations

import pytest
from exact_results import exact, few, made
from hypothesis import given
from hypothesis import strategies as st

from bestiary.circuits import to_bits

NAMES = ["multiplier-carry-save", "multiplier-counting"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", range(1, 5))
def test_all_numbers_of_a_few_bits_are_multiplied(name, n):
    for a in range(2**n):
        for b in range(2**n):
            bits = exact(made(name, n)(to_bits(a, n), to_bits(b, n)))
            assert bits == to_bits(a * b, 2 * n)


@few
@given(st.data(), st.sampled_from(NAMES), st.integers(5, 8))
def test_longer_numbers_are_multiplied(data, name, n):
    a, b = (data.draw(st.integers(0, 2**n - 1)) for _ in range(2))
    assert exact(made(name, n)(to_bits(a, n), to_bits(b, n))) == to_bits(a * b, 2 * n)


def test_the_greatest_numbers_carry_most():
    for name in NAMES:
        for n in range(1, 9):
            ones = [1] * n
            assert exact(made(name, n)(ones, ones)) == to_bits((2**n - 1) ** 2, 2 * n)


def test_counting_is_shallower_from_four_bits_on():
    for n in (4, 5, 6, 8):
        saved, counted = (made(name, n).multiplicative_depth for name in NAMES)
        assert counted < saved
