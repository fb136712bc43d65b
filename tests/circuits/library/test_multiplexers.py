from __future__ import annotations

import pytest
from exact_results import bit_rows, exact, few, made, vectors
from hypothesis import given
from hypothesis import strategies as st

from bestiary.circuits import to_bits


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 9, 16, 17, 33])
def test_every_address_reads_its_value_and_those_past_the_end_zero(n):
    x = list(range(100, 100 + n))
    bits = (n - 1).bit_length()
    for address in range(2**bits):
        read = exact(made("multiplexer", n)(x, to_bits(address, bits)))
        assert read == (x[address] if address < n else 0)


@few
@given(st.data(), st.integers(1, 18), st.integers(1, 3))
def test_values_are_put_at_the_places_that_their_keys_say(data, n, width):
    order = data.draw(st.permutations(range(n)))
    x = data.draw(vectors(n, vectors(width)))
    key = bit_rows(order, (n - 1).bit_length())
    found = exact(made("permutation", n, width=width)(x, key))
    assert [found[place] for place in order] == x


def test_values_that_meet_at_a_place_add_up_and_places_past_the_end_are_dropped():
    found = exact(made("permutation", 3)([[1], [2], [4]], bit_rows([1, 1, 3], 2)))
    assert found == [[0], [3], [0]]
