"""Factors moved between bits of the index, and the two halves of a copy network."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from butterfly_oracle import random_butterfly, random_factor
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.structured import Permutation
from bestiary.structured.transforms.fan_out import fan_out
from bestiary.structured.transforms.pairs import merged, on_bits, with_bits_reversed


@pytest.mark.parametrize("places", [(0, 1), (1, 0), (0, 2), (2, 1), (1, 2), (2, 0)])
@pytest.mark.parametrize("k", [2, 4])
def test_a_factor_acts_on_the_bits_it_is_put_on(places, k):
    factor = random_factor(4, k)
    dense, moved = factor.dense().numpy(), on_bits(factor, places, 8).dense().numpy()
    bits = [[index >> place & 1 for place in places] for index in range(8)]
    other = ({0, 1, 2} - set(places)).pop()
    for i in range(8):
        for j in range(8):
            same = i >> other & 1 == j >> other & 1
            row, column = (bits[index][0] + 2 * bits[index][1] for index in (i, j))
            assert moved[i, j] == (dense[row, column] if same else 0)


def test_reversing_bits_on_both_sides_turns_b_into_b_star():
    member = random_butterfly(16)
    turned = with_bits_reversed(member)
    reversal = Permutation.bit_reversal(16).dense().double()
    assert torch.allclose(turned.dense(), reversal @ member.dense() @ reversal)
    assert member.in_b and turned.in_b_star and with_bits_reversed(turned).in_b


def test_factors_of_one_size_merge_into_their_product():
    left, right = random_factor(8, 4), random_factor(8, 4, torch.complex128, seed=2)
    assert torch.allclose(
        merged(left, right).dense(), left.dense().to(torch.complex128) @ right.dense()
    )


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([2, 4, 8, 16, 32]).flatmap(
        lambda size: st.tuples(
            st.just(size), st.lists(st.integers(0, size - 1), min_size=1, max_size=size)
        )
    )
)
def test_copies_lie_at_their_slots_and_zeros_everywhere_else(drawn):
    size, sources = drawn
    copies = fan_out(torch.tensor(sources), size)
    assert copies.spread.in_b and copies.gather.in_b_star
    expected = np.zeros((size, size))
    expected[copies.slots, sources] = 1
    assert np.array_equal((copies.spread.dense() @ copies.gather.dense()).numpy(), expected)
    assert len(set(copies.slots.tolist())) == len(sources)
