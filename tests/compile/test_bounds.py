from __future__ import annotations

import pytest
import torch

from bestiary.compile.bounds import (
    Bound,
    gated_bound,
    our_bound,
    our_butterfly_bound,
    our_factor_bound,
    our_kaleidoscope_bound,
    paper_bound,
    paper_butterfly_bound,
    paper_factor_bound,
    paper_hyena_bound,
    paper_kaleidoscope_bound,
)
from bestiary.compile.from_gated import gated
from bestiary.compile.mixer_forms import gated_form_of
from bestiary.errors import UserError
from bestiary.mixers.h3 import H3
from bestiary.mixers.hyena import Hyena
from bestiary.structured import Butterfly, Diagonal, Kaleidoscope


@pytest.mark.parametrize(
    ("n", "d", "ours", "paper"), [(16, 4, 11, 30), (64, 8, 16, 45), (256, 1, 17, 40)]
)
def test_the_butterfly_bounds_are_those_of_the_theory(
    n: int, d: int, ours: int, paper: int
) -> None:
    assert our_butterfly_bound(n, d) == Bound(ours, 2 * n, 2 * d)
    assert our_butterfly_bound(n, d, "circular").inner_rows == n
    assert paper_butterfly_bound(n, d).layers == paper


@pytest.mark.parametrize(("w", "layers"), [(1, 20), (2, 37), (3, 54)])
def test_the_kaleidoscope_bounds_are_those_of_the_theory(w: int, layers: int) -> None:
    assert our_kaleidoscope_bound(16, 4, w) == Bound(layers, 24 * (w + 1), 8)
    assert our_kaleidoscope_bound(8, 4, w, e=2, mode="circular") == Bound(layers, 16, 8)
    # d = 1: 4w·log2 m − 4w + 3, m = 64.
    assert our_kaleidoscope_bound(64, 1, w).layers == 20 * w + 3
    assert paper_kaleidoscope_bound(16, 4, w).layers == 60 * w


def test_a_factor_alone_has_three_layers_and_two_inside_of_a_row() -> None:
    assert [our_factor_bound(16, 4, k).layers for k in (2, 4, 8, 64)] == [2, 2, 3, 3]
    assert paper_factor_bound(16, 4) == Bound(7, None, 4)


def test_a_bound_of_a_member_is_that_of_its_sizes() -> None:
    member = Kaleidoscope(Kaleidoscope.identity(64).butterflies * 2, 30)
    assert our_bound(member, 2) == our_kaleidoscope_bound(32, 2, 2)
    assert paper_bound(member, 2) == paper_kaleidoscope_bound(32, 2, 2)
    complex_one = Butterfly.identity(16, torch.complex128)
    assert our_bound(complex_one, 2).width == 16


def test_what_has_no_bound_is_said_to_have_none() -> None:
    for bound in (our_bound, paper_bound):
        with pytest.raises(UserError, match="no bound is stated for a Diagonal"):
            bound(Diagonal(torch.ones(4)), 1)
    with pytest.raises(UserError, match="12 is no power of two"):
        our_butterfly_bound(12, 1)


def test_a_bound_holds_up_to_its_numbers_and_says_nothing_where_none_is_stated() -> None:
    bound = Bound(3, None, 4)
    assert bound.holds(3, 10**9, 4)
    assert not bound.holds(4, 1, 4)
    assert not bound.holds(3, 1, 5)


@pytest.mark.parametrize("layout", ["channel", "time"])
@pytest.mark.parametrize("taps", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_bound_of_a_hyena_is_what_it_takes(order: int, taps: int, layout: str) -> None:
    mixer = Hyena(2, order=order, short_taps=taps, output_projection=order == 2, max_length=6)
    stack = gated(mixer.double(), 6, layout).stack
    bound = gated_bound(gated_form_of(mixer, 6), 6, layout)
    assert stack.inner_length is not None
    assert bound == Bound(len(stack.layers), stack.inner_length, stack.width)


def test_the_bound_of_h3_counts_the_channels_of_its_heads() -> None:
    mixer = H3(4, head_dim=2).double()
    assert gated_bound(gated_form_of(mixer, 5), 5) == Bound(4, 5, 4 * 2 + 4)
    stack = gated(mixer, 5).stack
    assert (len(stack.layers), stack.inner_length, stack.width) == (4, 5, 12)


def test_the_paper_takes_five_layers_a_long_filter_of_hyena() -> None:
    assert paper_hyena_bound(8, 2, 3) == Bound(15, 16, 2)
