import numpy as np
import pytest
import torch
from attention_reference import array, in_parts, noise
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.errors import UserError
from bestiary.mixers.short_conv import ShortConv


def written_out(mixer: ShortConv, x: torch.Tensor) -> np.ndarray:
    """((x W1 + b1) ⊙ (h * x W2 + b2)) W3 with the sum over taps as a loop."""
    projected = array(x) @ array(mixer.inward.weight).T
    gate, signal = np.split(projected, 2, axis=-1)
    filtered = np.zeros_like(signal)
    for tap in range(min(mixer.taps, x.shape[1])):
        filtered[:, tap:] += array(mixer.filter)[tap] * signal[:, : x.shape[1] - tap]
    if mixer.gate_bias is not None:
        gate, filtered = gate + array(mixer.gate_bias), filtered + array(mixer.conv_bias)
    return (gate * filtered) @ array(mixer.outward.weight).T


# Fewer positions than taps, too: a filter longer than its sequence.
@pytest.mark.parametrize("taps", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("length", [1, 2, 4, 17])
@pytest.mark.parametrize("bias", [False, True])
def test_outputs_are_those_of_the_formula_written_out(taps: int, length: int, bias: bool) -> None:
    mixer = ShortConv(6, taps=taps, bias=bias).double()
    if bias:
        torch.nn.init.normal_(mixer.gate_bias)
        torch.nn.init.normal_(mixer.conv_bias)
    x = noise(2, length, 6)
    np.testing.assert_allclose(array(mixer(x)), written_out(mixer, x), rtol=0, atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(
    length=st.integers(1, 20), taps=st.integers(1, 6), cuts=st.lists(st.integers(1, 19), max_size=4)
)
def test_any_parts_with_the_state_carried_give_the_whole(
    length: int, taps: int, cuts: list[int]
) -> None:
    mixer = ShortConv(3, taps=taps).double()
    x = noise(2, length, 3)
    parts = in_parts(mixer, x, [cut for cut in cuts if cut < length])
    np.testing.assert_allclose(parts, array(mixer(x)), rtol=0, atol=1e-12)


def test_the_state_is_the_rows_a_later_tap_can_still_read() -> None:
    mixer = ShortConv(6, taps=4)
    assert [mixer.state_size(n) for n in (1, 2, 3, 50)] == [6, 12, 18, 18]
    assert ShortConv(6, taps=1).state_size(50) == 0


def test_a_filter_without_taps_is_refused() -> None:
    with pytest.raises(UserError, match="taps is 0; it must be at least 1"):
        ShortConv(6, taps=0)
