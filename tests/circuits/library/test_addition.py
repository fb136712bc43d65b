from __future__ import annotations

import pytest
from all_inputs import number
from exact_results import exact, few, made
from hypothesis import given
from hypothesis import strategies as st

from bestiary.circuits import to_bits
from bestiary.circuits.library.addition import adder
from bestiary.errors import UserError

NAMES = ["adder-ripple", "adder-lookahead"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", range(1, 6))
def test_all_numbers_of_a_few_bits_are_added(name, n):
    for a in range(2**n):
        for b in range(2**n):
            bits = exact(made(name, n)(to_bits(a, n), to_bits(b, n)))
            assert bits == to_bits(a + b, n + 1)


@few
@given(st.data(), st.integers(6, 40), st.sampled_from(NAMES))
def test_long_numbers_are_added(data, n, name):
    a, b = (data.draw(st.integers(0, 2**n - 1)) for _ in range(2))
    assert number(exact(made(name, n)(to_bits(a, n), to_bits(b, n)))) == a + b


@pytest.mark.parametrize("name", NAMES)
def test_a_carry_runs_through_all_places(name):
    ones = [1] * 33
    assert exact(made(name, 33)(ones, [1, *[0] * 32])) == [0] * 33 + [1]


def test_a_method_that_there_is_not_is_said():
    with pytest.raises(UserError, match="method is 'skip'; ripple, lookahead are accepted"):
        adder(4, method="skip")
