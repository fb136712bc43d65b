import math

import numpy as np
import pytest
import torch
from direct_sums import array, noise

from bestiary.errors import UserError
from bestiary.mixers.implicit_filter import ImplicitFilter


def make(channels=4, **options):
    torch.manual_seed(0)
    return ImplicitFilter(
        channels, **{"max_length": 16, "hidden": 5, "bands": 2, **options}
    ).double()


def test_the_taps_are_network_times_window_written_out():
    h = make(channels=3, depth=2, frequency=7.0, reach=(0.5, 1.0))
    w1, b1, w2, b2 = (array(p) for layer in h.layers for p in (layer.weight, layer.bias))
    for t in range(20):
        s = t / 16
        x = np.array(
            [s, *(math.cos(2 * math.pi * k * s) for k in (1, 2))]
            + [math.sin(2 * math.pi * k * s) for k in (1, 2)]
        )
        x = np.sin(w2 @ np.sin(7.0 * (w1 @ x + b1)) + b2)
        window = np.array([0.01 ** (s / reach) for reach in (0.5, 0.75, 1.0)])
        expected = (x @ array(h.output)) * window + (array(h.skip) if t == 0 else 0)
        np.testing.assert_allclose(array(h(20))[t], expected, atol=1e-12)


def test_the_impulse_response_is_the_filter():
    h = make()
    impulse = torch.zeros(1, 24, 4, dtype=torch.float64)
    impulse[0, 0] = 1
    torch.testing.assert_close(h.convolve(impulse)[0], h(24), rtol=0, atol=1e-13)


@pytest.mark.parametrize("length", [1, 2, 17, 40])
def test_a_tap_does_not_depend_on_how_many_are_asked_for(length):
    h = make()
    torch.testing.assert_close(h(length), h(64)[:length], rtol=0, atol=1e-14)


def test_scale_is_the_energy_at_the_start():
    torch.manual_seed(0)
    h = ImplicitFilter(4096, max_length=64, scale=0.5, skip=False)
    assert abs(h(64).square().sum(0).mean() - 0.25) < 0.05


def test_without_skip_tap_zero_has_nothing_of_its_own():
    h = make(skip=False)
    assert h.skip is None
    assert "skip" not in dict(h.named_parameters())


def test_gradients_reach_every_parameter_and_are_right():
    h = make(channels=2, hidden=3)
    u = noise(1, 6, 2).requires_grad_()
    names = [name for name, _ in h.named_parameters()]

    def response(u, *values):
        taps = torch.func.functional_call(h, dict(zip(names, values, strict=True)), (6,))
        return (taps * u).sum(1)

    assert torch.autograd.gradcheck(response, (u, *h.parameters()))


def test_taps_are_computed_in_float32_for_a_bfloat16_module():
    h = make().bfloat16()
    assert h(8).dtype == torch.float32
    torch.testing.assert_close(h(8), h.float()(8))


def test_autocast_does_not_reach_the_taps():
    h = make().float()
    expected = h(40)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(h(40), expected)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_length": 0}, "max_length of an implicit filter is 0"),
        ({"hidden": 0}, "hidden of an implicit filter is 0"),
        ({"depth": 0}, "depth of an implicit filter is 0"),
        ({"frequency": 0.0}, "frequency of an implicit filter is 0.0"),
        ({"bands": -1}, "bands of an implicit filter is -1"),
        ({"reach": (0.0, 1.0)}, r"reach of an implicit filter is \[0.0, 1.0\]"),
        ({"reach": (2.0, 1.0)}, "smaller one first"),
    ],
)
def test_impossible_settings_are_refused(options, words):
    with pytest.raises(UserError, match=words):
        make(**options)
