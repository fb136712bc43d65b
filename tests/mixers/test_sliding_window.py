import numpy as np
import pytest
import torch
from attention_reference import array, in_parts, noise, reference, softmax_weights
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.errors import UserError
from bestiary.mixers.attention import Attention
from bestiary.mixers.sliding_window import SlidingWindow


# Lengths on both sides of the window, of the block of 32 and of where blocks begin to be used.
@pytest.mark.parametrize("length", [1, 2, 31, 33, 96, 97, 128, 131, 200])
@pytest.mark.parametrize("window", [1, 2, 7, 40])
def test_outputs_are_those_of_a_masked_softmax_written_out(length: int, window: int) -> None:
    mixer = SlidingWindow(4, window=window, heads=2, positions="rotary").double()
    x = noise(2, length, 4)
    expected = reference(x, mixer.projections, softmax_weights, window, rotary=True)
    np.testing.assert_allclose(array(mixer(x)), expected, rtol=0, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(
    length=st.integers(1, 150),
    window=st.integers(1, 45),
    cuts=st.lists(st.integers(1, 149), max_size=3),
)
def test_any_parts_with_the_cache_carried_give_the_whole(
    length: int, window: int, cuts: list[int]
) -> None:
    mixer = SlidingWindow(4, window=window, positions="rotary").double()
    x = noise(1, length, 4)
    parts = in_parts(mixer, x, [cut for cut in cuts if cut < length])
    np.testing.assert_allclose(parts, array(mixer(x)), rtol=0, atol=1e-12)


def test_a_window_as_long_as_the_sequence_is_attention() -> None:
    near = SlidingWindow(8, window=50, heads=2).double()
    everywhere = Attention(8, heads=2).double()
    everywhere.load_state_dict(near.state_dict())
    x = noise(2, 50, 8)
    np.testing.assert_allclose(array(near(x)), array(everywhere(x)), rtol=0, atol=1e-12)


def test_an_input_reaches_exactly_the_window_of_outputs_after_it() -> None:
    mixer = SlidingWindow(4, window=5).double()
    x = noise(1, 300, 4).requires_grad_()
    reached = [
        t
        for t in range(140, 170)
        if torch.autograd.grad(mixer(x)[0, t].sum(), x)[0][0, 150].abs().sum() > 0
    ]
    assert reached == [150, 151, 152, 153, 154]


def test_the_state_is_what_a_later_position_can_still_read() -> None:
    mixer = SlidingWindow(12, window=5, heads=3)
    assert [mixer.state_size(n) for n in (1, 3, 4, 5, 100)] == [24, 72, 96, 96, 96]
    assert SlidingWindow(12, window=1).state_size(9) == 0
    assert SlidingWindow(12, window=5, inner=6).state_size(9) == 2 * 6 * 4


@pytest.mark.parametrize("window", [0, -3])
def test_a_window_without_the_present_position_is_refused(window: int) -> None:
    with pytest.raises(UserError, match=f"window is {window}; it must be at least 1"):
        SlidingWindow(8, window=window)
