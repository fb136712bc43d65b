from __future__ import annotations

import pytest
import torch
from matrix_members import butterfly

from bestiary.compile.from_matrix import frontier
from bestiary.errors import UserError


def test_the_frontier_trades_layers_for_channels() -> None:
    found = frontier(16, 4)
    assert [choice.layers for choice in found] == sorted(choice.layers for choice in found)
    radix = {choice.radix: choice for choice in found if choice.method == "groups"}
    assert (radix[2].layers, radix[2].width) == (11, 8)
    assert (radix[4].layers, radix[4].width) == (6, 16)
    # All six bits in one level: two layers and the sum.
    assert (radix[64].layers, radix[64].width) == (3, 256)
    best = [choice for choice in found if choice.best]
    for one in best:
        for other in found:
            assert (other.layers, other.width, other.inner_length) == (
                one.layers,
                one.width,
                one.inner_length,
            ) or not (
                other.layers <= one.layers
                and other.width <= one.width
                and other.inner_length <= one.inner_length
            )
    assert not next(choice for choice in found if choice.method == "paper").best


def test_every_choice_counts_what_is_not_zero() -> None:
    for choice in frontier(4, 2, "circular"):
        assert choice.nonzeros > 0
        assert str(choice.layers) in str(choice)


def test_a_member_of_another_size_is_refused_and_complex_ones_have_fewer_choices() -> None:
    with pytest.raises(UserError, match="size 8 has no 8 rows of 2"):
        frontier(8, 2, member=butterfly(8))
    found = frontier(4, 2, member=butterfly(8, dtype=torch.complex128))
    assert {choice.method for choice in found} == {"groups"}
