"""What ``conv`` computes: each mode against its own sum, on every path, and the laws it obeys."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from convolution_oracle import bidirectional, causal, circular, direct_sum
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal

from bestiary.operators import conv
from bestiary.operators.convolution import MODES

PATHS = ("auto", "direct", "fft", "chunked")


def draw(seed: int, *shape: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


@st.composite
def cases(draw_from: st.DrawFn) -> tuple[str, int, int, int | None]:
    mode = draw_from(st.sampled_from(MODES))
    length, taps = draw_from(st.integers(1, 90)), draw_from(st.integers(1, 100))
    if mode != "bidirectional":
        return mode, length, taps, None
    centre = draw_from(st.integers(0, taps - 1))
    return mode, length, taps, None if centre == taps // 2 and taps % 2 else centre


@settings(max_examples=60, deadline=None)
@given(
    case=cases(),
    batch=st.integers(0, 3),
    channels=st.integers(1, 3),
    path=st.sampled_from(PATHS),
    time_last=st.booleans(),
)
def test_every_mode_and_path_is_its_direct_sum(case, batch, channels, path, time_last):
    mode, length, taps, centre = case
    u, h = draw(1, batch, length, channels), draw(2, taps, channels)
    wanted = direct_sum(u.numpy(), h.numpy(), mode, centre)
    if time_last:
        y = conv(u.mT, h.mT, mode, path=path, centre=centre, time_last=True).mT
    else:
        y = conv(u, h, mode, path=path, centre=centre)
    np.testing.assert_allclose(y.numpy(), wanted, atol=1e-10, rtol=0)


@pytest.mark.parametrize("length", [1, 2, 31, 64, 65, 97, 509])
@pytest.mark.parametrize("taps", ["one", "few", "half", "all", "more"])
def test_causal_agrees_at_prime_short_and_long_sizes(length, taps):
    count = {"one": 1, "few": 5, "half": length // 2 + 1, "all": length, "more": 2 * length + 3}
    u, h = draw(3, 2, length, 2), draw(4, count[taps], 2)
    np.testing.assert_allclose(conv(u, h).numpy(), causal(u.numpy(), h.numpy()), atol=1e-10, rtol=0)


@pytest.mark.parametrize("path", ["fft", "chunked"])
def test_length_16384_agrees_with_a_direct_sum(path):
    length, taps = 16_384, (16_384 if path == "fft" else 700)
    u, h = draw(5, 1, length, 2), draw(6, taps, 2)
    wanted = np.stack(
        [signal.convolve(u[0, :, c], h[:, c], method="direct")[:length] for c in range(2)], 1
    )
    np.testing.assert_allclose(conv(u, h, path=path)[0].numpy(), wanted, atol=1e-10, rtol=0)
    # Sums of 16,384 products of unit variance are of size 128; float32 keeps 1e-6 of that, and
    # its transforms some ten times less.
    single = conv(u.float(), h.float(), path=path)[0]
    np.testing.assert_allclose(single.numpy(), wanted, atol=1e-3, rtol=0)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("length", [1, 8, 63, 100])
def test_an_impulse_at_the_start_returns_the_filter(path, length):
    u = torch.zeros(1, length, 3, dtype=torch.float64)
    u[:, 0] = 1
    h = draw(9, length, 3)
    torch.testing.assert_close(conv(u, h, path=path)[0], h, atol=1e-12, rtol=0)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("length", [1, 8, 63, 100])
def test_an_impulse_at_the_end_touches_only_the_last_output(path, length):
    u = torch.zeros(1, length, 3, dtype=torch.float64)
    u[:, -1] = 1
    h = draw(10, length, 3)
    y = conv(u, h, path=path)[0]
    torch.testing.assert_close(y[:-1], torch.zeros_like(y[:-1]), atol=1e-12, rtol=0)
    torch.testing.assert_close(y[-1], h[0], atol=1e-12, rtol=0)


def test_the_three_modes_differ_as_computed_by_hand():
    u = torch.tensor([1.0, 2.0, 3.0]).view(1, 3, 1)
    h = torch.tensor([10.0, 20.0, 40.0]).view(3, 1)
    assert conv(u, h, "causal").flatten().tolist() == [10, 40, 110]
    # The causal row plus what runs over the end: 20·3 + 40·2 on the first, 40·3 on the second.
    assert conv(u, h, "circular").flatten().tolist() == [150, 160, 110]
    # Tap 0 looks one ahead, tap 2 one back.
    assert conv(u, h, "bidirectional").flatten().tolist() == [40, 110, 140]
    assert conv(u, h, "bidirectional", centre=2).flatten().tolist() == [110, 140, 120]


def test_a_two_sided_filter_of_twice_the_length_less_one_reaches_everything():
    length = 20
    u, h = draw(11, 2, length, 2), draw(12, 2 * length - 1, 2)
    matrix = np.empty((length, length, 2))
    for t in range(length):
        for s in range(length):
            matrix[t, s] = h[t - s + length - 1].numpy()
    wanted = np.einsum("tsc,bsc->btc", matrix, u.numpy())
    for path in PATHS:
        y = conv(u, h, "bidirectional", path=path)
        np.testing.assert_allclose(y.numpy(), wanted, atol=1e-10, rtol=0)


def test_oracles_themselves_agree_where_modes_coincide():
    u, h = draw(13, 2, 9, 2).numpy(), draw(14, 9, 2).numpy()
    np.testing.assert_allclose(bidirectional(u, h, 0), causal(u, h), atol=1e-12)
    padded = np.concatenate([u, np.zeros_like(u)], 1)
    np.testing.assert_allclose(circular(padded, h)[:, :9], causal(u, h), atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(mode=st.sampled_from(MODES), length=st.integers(1, 150), path=st.sampled_from(PATHS))
def test_convolution_is_linear_in_input_and_filter(mode, length, path):
    u, v = draw(15, 2, length, 2), draw(16, 2, length, 2)
    h, k = draw(17, 7, 2), draw(18, 7, 2)

    def c(a, b):
        return conv(a, b, mode, path=path)

    together = c(2 * u - v, h + 3 * k)
    apart = 2 * c(u, h) + 6 * c(u, k) - c(v, h) - 3 * c(v, k)
    torch.testing.assert_close(together, apart, atol=1e-10, rtol=0)


@settings(max_examples=25, deadline=None)
@given(length=st.integers(2, 200), split=st.floats(0, 1), path=st.sampled_from(PATHS))
def test_a_causal_output_does_not_depend_on_later_inputs(length, split, path):
    cut = 1 + int(split * (length - 2))
    u, h = draw(19, 1, length, 2), draw(20, length, 2)
    changed = u.clone()
    changed[:, cut:] = draw(21, 1, length - cut, 2)
    before, after = conv(u, h, path=path), conv(changed, h, path=path)
    torch.testing.assert_close(before[:, :cut], after[:, :cut], atol=1e-11, rtol=0)
    assert not torch.allclose(before[:, cut:], after[:, cut:], atol=1e-3)


def test_a_causal_convolution_by_a_matrix_hides_the_future_to_the_bit():
    u, h = draw(22, 1, 64, 2, dtype=torch.float32), draw(23, 64, 2, dtype=torch.float32)
    changed = u.clone()
    changed[:, 40:] *= -3
    assert torch.equal(conv(u, h)[:, :40], conv(changed, h)[:, :40])


@settings(max_examples=25, deadline=None)
@given(length=st.integers(1, 100), shift=st.integers(0, 100), path=st.sampled_from(PATHS))
def test_rolling_the_input_of_a_circular_convolution_rolls_its_output(length, shift, path):
    u, h = draw(24, 1, length, 2), draw(25, length, 2)
    rolled = conv(u.roll(shift, 1), h, "circular", path=path)
    wanted = conv(u, h, "circular", path=path).roll(shift, 1)
    torch.testing.assert_close(rolled, wanted, atol=1e-10, rtol=0)


@pytest.mark.parametrize("length", [8, 63, 300])
def test_convolution_equals_the_recurrence_of_its_states(length):
    """A diagonal state-space model, x' = a x + u, y = c x, has the filter c · a^j."""
    a, c = draw(26, 4).tanh().numpy(), draw(27, 4).numpy()
    u = draw(28, 1, length, 1)
    state, wanted = np.zeros(4), []
    for t in range(length):
        state = a * state + float(u[0, t, 0])
        wanted.append(c @ state)
    h = torch.from_numpy((c[None] * a[None] ** np.arange(length)[:, None]).sum(1, keepdims=True))
    for path in PATHS:
        np.testing.assert_allclose(conv(u, h, path=path)[0, :, 0].numpy(), wanted, atol=1e-10)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("length", [20, 200])
def test_a_row_does_not_depend_on_the_other_rows(path, length):
    u, h = draw(29, 9, length, 3, dtype=torch.float32), draw(30, length, 3, dtype=torch.float32)
    other = draw(31, 9, length, 3, dtype=torch.float32)
    other[4] = u[4]
    assert torch.equal(conv(u, h, path=path)[4], conv(other, h, path=path)[4])


@pytest.mark.parametrize("path", PATHS)
def test_the_same_call_gives_the_same_bits(path):
    u, h = draw(32, 3, 130, 5, dtype=torch.float32), draw(33, 130, 5, dtype=torch.float32)
    assert torch.equal(conv(u, h, path=path), conv(u, h, path=path))
