"""Permutations through Beneš networks, and selections with fan-out, entry by entry."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.errors import UserError
from bestiary.structured import Permutation
from bestiary.structured.transforms import (
    bit_reversal,
    permutation,
    place_of,
    selection,
    sort,
    stride,
)


def gathered(source, n):
    """Row i has its 1 at source[i]; −1 is a row of zeros."""
    matrix = np.zeros((n, n))
    for row, column in enumerate(source):
        if column >= 0:
            matrix[row, column] = 1
    return matrix


def test_every_permutation_of_four_is_routed_exactly():
    for source in itertools.permutations(range(4)):
        routed = permutation(source)
        assert np.array_equal(routed.dense().numpy(), gathered(source, 4))
        assert str(place_of(routed)) == "BB*"


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 20).flatmap(lambda n: st.permutations(range(n))))
def test_any_permutation_of_any_length_is_in_bb_star(source):
    routed = permutation(source)
    assert np.array_equal(routed.dense().numpy(), gathered(source, len(source)))
    assert (routed.width, routed.expansion) == (1, 1)


def test_the_bit_reversal_of_eight_is_a_kaleidoscope_product():
    expected = gathered([0, 4, 2, 6, 1, 5, 3, 7], 8)
    assert np.array_equal(bit_reversal(8).dense().numpy(), expected)
    left, right = bit_reversal(8).butterflies
    assert left.in_b and right.in_b_star
    assert np.array_equal((left.dense() @ right.dense()).numpy(), expected)


@pytest.mark.parametrize("seed", range(20))
def test_random_permutations_of_eight_and_their_inverses_are_exact(seed):
    source = np.random.default_rng(seed).permutation(8).tolist()
    routed = permutation(source)
    assert np.array_equal(routed.dense().numpy(), gathered(source, 8))
    assert np.array_equal(routed.inverse().dense().numpy(), gathered(source, 8).T)


def test_a_long_permutation_moves_every_entry():
    source = torch.from_numpy(np.random.default_rng(0).permutation(1024))
    x = torch.arange(1024, dtype=torch.float64)
    assert torch.equal(permutation(Permutation(source)).apply(x), source.double())


def test_twiddles_of_a_permutation_are_zeros_and_ones_and_its_factors_are_switches():
    for butterfly in permutation([3, 1, 0, 2]).butterflies:
        for factor in butterfly.factors:
            assert set(factor.twiddle.flatten().tolist()) <= {0.0, 1.0}
            assert torch.equal(factor.dense().sum(0), torch.ones(4, dtype=torch.float64))


def test_sorting_and_strides():
    keys = [3.0, -1.0, 2.0, -1.0, 10.0]
    assert sort(keys).apply(torch.tensor(keys)).tolist() == sorted(keys)
    assert permutation(stride(6)).apply(torch.arange(6.0)).tolist() == [0, 2, 4, 1, 3, 5]
    tagged = sort([1.0, 0.0, 1.0, 0.0]).apply(torch.arange(4.0))
    assert tagged.tolist() == [1, 3, 0, 2]  # equal keys keep their order


def test_what_is_no_permutation_is_refused():
    with pytest.raises(UserError, match="index 0 twice"):
        permutation([0, 0, 1])
    with pytest.raises(UserError, match="must be a power of two, such as 8"):
        bit_reversal(6)
    with pytest.raises(UserError, match="keys of a sort has the entry nan at"):
        sort([1.0, float("nan")])


def test_every_selection_of_three_entries_is_exact_in_bb_star_squared():
    for source in itertools.product(range(-1, 3), repeat=3):
        chosen = selection(source)
        assert np.array_equal(chosen.dense().numpy(), gathered(source, 3))
        assert (chosen.width, chosen.expansion) == (2, 1)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 33).flatmap(lambda n: st.lists(st.integers(-1, n - 1), min_size=n, max_size=n))
)
def test_any_selection_with_any_fan_out_is_in_bb_star_squared(source):
    values = np.arange(1.0, len(source) + 1)
    chosen = selection(source, values)
    expected = gathered(source, len(source)) * values[:, None]
    assert np.array_equal(chosen.dense().numpy(), expected)
    assert (chosen.width, chosen.expansion) == (2, 1)


def test_a_selection_out_of_range_is_refused():
    with pytest.raises(UserError, match=r"source 3\.0 at 1 \(accepted: −1 for none, 0 to 2\)"):
        selection([0, 3, 1])
    with pytest.raises(UserError, match=r"source 0\.5 at 0"):
        selection([0.5, 1])
    with pytest.raises(UserError, match="selection of 2 entries has 3 values"):
        selection([0, 1], [1.0, 2.0, 3.0])
