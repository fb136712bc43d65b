"""Transform lengths."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bestiary.operators.convolution.fft_size import fft_size, is_smooth


@given(at_least=st.integers(1, 100_000))
def test_a_size_suffices_is_even_smooth_and_below_the_next_power_of_two(at_least):
    size = fft_size(at_least)
    assert at_least <= size <= 1 << (at_least - 1).bit_length()
    assert size % 2 == 0 or size == 1
    assert is_smooth(size)


def test_a_power_of_two_is_kept_and_much_shorter_lengths_are_preferred_to_the_next():
    assert [fft_size(n) for n in (1, 2, 3, 63, 1023, 1024)] == [1, 2, 4, 64, 1024, 1024]
    assert fft_size(1025) == 1152
    # 1,920 = 15 · 2^7 costs more than 2,048.
    assert fft_size(1900) == 2048


def test_smooth_lengths_have_prime_factors_up_to_seven():
    smooth = [n for n in range(1, 40) if is_smooth(n)]
    by_hand = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16, 18, 20, 21, 24, 25, 27, 28, 30, 32]
    assert smooth == [*by_hand, 35, 36]
