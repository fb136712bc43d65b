import numpy as np
import pytest
import torch
from direct_sums import array, direct_conv, noise
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.errors import UserError
from bestiary.mixers.filters import ExplicitFilter, noisy_delta, random_taps


@given(taps=st.integers(1, 9), length=st.integers(1, 12))
@settings(max_examples=40, deadline=None)
def test_convolving_is_the_sum_over_the_taps(taps, length):
    h = ExplicitFilter(noise(taps, 3))
    u = noise(2, length, 3, seed=1)
    for b in range(2):
        expected = direct_conv(array(u[b]), array(h.values))
        np.testing.assert_allclose(array(h.convolve(u))[b], expected, atol=1e-12)


@given(taps=st.integers(1, 9), before=st.integers(0, 12), after=st.integers(1, 12))
@settings(max_examples=60, deadline=None)
def test_going_on_from_the_past_is_the_end_of_the_whole_convolution(taps, before, after):
    h = ExplicitFilter(noise(taps, 3))
    u = noise(2, before + after, 3, seed=1)
    past = h.initial_past(2)
    if before:
        _, past = h.convolve_from(u[:, :before], past)
    y, past = h.convolve_from(u[:, before:], past)
    torch.testing.assert_close(y, h.convolve(u)[:, before:], rtol=0, atol=1e-12)
    kept = min(before + after, taps - 1)
    assert torch.equal(past, u[:, before + after - kept :])
    assert kept == h.remembered(before + after)


@pytest.mark.parametrize("taps", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("length", [1, 2, 3, 7])
def test_gradients_are_right_for_inputs_shorter_and_longer_than_the_filter(taps, length):
    h = ExplicitFilter(noise(taps, 2))
    u = noise(1, length, 2, seed=1).requires_grad_()

    def convolve(u, values):
        return torch.func.functional_call(_Convolve(h), {"h.values": values}, (u,))

    assert torch.autograd.gradcheck(convolve, (u, h.values))


class _Convolve(torch.nn.Module):
    def __init__(self, h):
        super().__init__()
        self.h = h

    def forward(self, u):
        return self.h.convolve(u)


def test_taps_are_never_narrower_than_float32():
    h = ExplicitFilter(noise(4, 2)).bfloat16()
    assert h(4).dtype == torch.float32
    assert h.double()(4).dtype == torch.float64
    u = noise(1, 6, 2, seed=1).bfloat16()
    assert h.bfloat16().convolve(u).dtype == torch.bfloat16
    assert h.convolve_from(u[:, :1], h.initial_past(1))[0].dtype == torch.bfloat16


def test_random_taps_have_the_energy_that_scale_says_whatever_their_number_and_decay():
    torch.manual_seed(0)
    for taps, decay in ((1, 0.0), (3, 0.0), (64, 4.0)):
        energy = random_taps(20_000, taps, scale=0.5, decay=decay).square().sum(0).mean()
        assert abs(energy - 0.25) < 0.01  # five standard errors of the mean, at one tap


def test_decay_is_the_exponent_reached_at_the_end_of_the_filter():
    torch.manual_seed(0)
    deviation = random_taps(50_000, 4, decay=2.0).std(dim=1)
    np.testing.assert_allclose(deviation / deviation[0], np.exp([0, -0.5, -1, -1.5]), rtol=0.02)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"taps": 0}, "taps is 0"), ({"scale": -1}, "scale is -1"), ({"decay": -2}, "decay is -2")],
)
def test_impossible_taps_are_refused(options, words):
    with pytest.raises(UserError, match=words):
        random_taps(2, **{"taps": 3, **options})


def test_values_that_are_not_taps_by_channels_are_refused():
    with pytest.raises(UserError, match=r"shape \(3,\)"):
        ExplicitFilter(torch.zeros(3))


def test_a_noisy_delta_is_a_delta_plus_noise_of_the_stated_energy():
    taps = noisy_delta(20_000, 3, noise=0.5)
    taps[0] -= 1
    assert taps.square().sum(0).mean().item() == pytest.approx(0.25, rel=0.05)
    assert taps.mean(1).abs().max() < 0.02


def test_no_noise_leaves_a_filter_that_passes_its_input_on():
    u = torch.randn(2, 5, 4)
    assert torch.equal(ExplicitFilter(noisy_delta(4, 3, noise=0.0)).convolve(u), u)


def test_negative_noise_is_refused():
    with pytest.raises(UserError, match=r"-0\.1"):
        noisy_delta(2, 3, noise=-0.1)
