from __future__ import annotations

import numpy as np
import pytest
from all_inputs import number
from exact_results import bit_rows, exact, few, made, vectors
from hypothesis import given
from hypothesis import strategies as st

from bestiary.circuits import evaluate_batch
from bestiary.circuits.library.formula import lg
from bestiary.circuits.library.sorting import bitonic_steps, odd_even_steps, sort
from bestiary.errors import UserError

NAMES = ["sort-bitonic", "sort-odd-even", "sort-rank"]


@few
@given(st.data(), st.integers(1, 9), st.integers(1, 4), st.sampled_from(NAMES))
def test_keys_come_out_in_ascending_order(data, n, bits, name):
    keys = data.draw(vectors(n, st.integers(0, 2**bits - 1)))
    found = exact(made(name, n, bits=bits)(bit_rows(keys, bits)))
    assert [number(row) for row in found] == sorted(keys)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", range(1, 9))
def test_all_words_of_bits_are_sorted_and_so_by_the_zero_one_principle_all_keys(name, n):
    words = np.array(list(np.ndindex(*[2] * n)))
    found = evaluate_batch(made(name, n, bits=1), words)
    assert (found == np.sort(words, axis=1)).all()


@few
@given(st.data(), st.integers(1, 8), st.integers(1, 2), st.sampled_from(NAMES))
def test_payload_goes_with_its_key(data, n, width, name):
    keys = data.draw(vectors(n, st.integers(0, 7)))
    payload = data.draw(vectors(n, vectors(width)))
    found = made(name, n, bits=3, payload=width)(bit_rows(keys, 3), payload)
    pairs = list(zip(map(number, exact(found["keys"])), exact(found["payload"]), strict=True))
    assert [key for key, _ in pairs] == sorted(keys)
    assert sorted(pairs) == sorted(zip(keys, payload, strict=True))
    if name == "sort-rank":
        # Equal keys keep their order.
        given_pairs = list(zip(keys, payload, strict=True))
        assert pairs == sorted(given_pairs, key=lambda pair: pair[0])


@few
@given(st.data(), st.integers(1, 9), st.integers(1, 4))
def test_argmax_marks_the_first_of_the_greatest(data, n, bits):
    x = data.draw(vectors(n, st.integers(0, 2**bits - 1)))
    expected = [int(i == x.index(max(x))) for i in range(n)]
    assert exact(made("argmax", n, bits=bits)(bit_rows(x, bits))) == expected


@pytest.mark.parametrize("steps", [bitonic_steps, odd_even_steps])
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 13, 16, 32])
def test_networks_compare_every_wire_once_a_step(steps, n):
    found = list(steps(n))
    assert len(found) == lg(n) * (lg(n) + 1) // 2
    for step in found:
        wires = [wire for pair in step for wire in pair]
        assert len(set(wires)) == len(wires)
        assert all(0 <= i < j < n for i, j in step)


@pytest.mark.parametrize("k", range(1, 6))
def test_networks_have_as_many_comparisons_as_batcher_s(k):
    n = 2**k
    assert sum(map(len, bitonic_steps(n))) == n * k * (k + 1) // 4
    assert sum(map(len, odd_even_steps(n))) == (k * k - k + 4) * 2 ** (k - 2) - 1


def test_a_method_and_a_payload_that_there_are_not_are_said():
    with pytest.raises(UserError, match="method is 'heap'; bitonic, odd-even, rank are accepted"):
        sort(4, method="heap")
    with pytest.raises(UserError, match="payload is -1; a whole number from 0 on is needed"):
        sort(4, payload=-1)
