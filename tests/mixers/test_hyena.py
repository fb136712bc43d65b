import numpy as np
import pytest
import torch
from direct_sums import array, assert_stepping_is_the_whole_pass, direct_conv, noise

from bestiary.errors import UserError
from bestiary.mixers import MixerSpec, build_mixer
from bestiary.mixers.base_conv_layer import BaseConvLayer
from bestiary.mixers.base_conv_stack import BaseConvStack
from bestiary.mixers.filters import ExplicitFilter


def make(d_model=3, max_length=17, **options):
    torch.manual_seed(0)
    mixer = build_mixer(MixerSpec("hyena", options), d_model, max_length).double()
    if mixer.short_bias is not None:
        mixer.short_bias.data += noise(*mixer.short_bias.shape)
    return mixer


def from_its_parts(mixer, x):
    """The recurrence z^l = p^l (h^l * z^(l-1)) on one sequence, from the materialised arrays."""
    weight, bias = mixer.projections()
    p = [x @ array(w) + array(b) for w, b in zip(weight, bias, strict=True)]
    short = mixer.short_filters()
    if short is not None:
        p = [direct_conv(u, array(h)) + array(b) for u, h, b in zip(p, *short, strict=True)]
    z = p[0]
    for gate, h in zip(p[1:], mixer.long_filters(len(x)), strict=True):
        z = gate * direct_conv(z, array(h))
    out = mixer.output_map()
    return z if out is None else z @ array(out.weight) + array(out.bias)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("short_taps", [0, 1, 3])
@pytest.mark.parametrize("first_filter", ["implicit", "identity"])
def test_the_mixer_is_the_recurrence_over_its_materialised_parts(order, short_taps, first_filter):
    mixer = make(order=order, short_taps=short_taps, first_filter=first_filter)
    for length in (1, 2, 23):
        x = noise(2, length, 3, seed=length)
        for b in range(2):
            expected = from_its_parts(mixer, array(x[b]))
            np.testing.assert_allclose(array(mixer(x))[b], expected, atol=1e-12)


def test_the_parts_have_the_shapes_that_they_say_and_are_float64_even_of_a_float32_mixer():
    mixer = make(order=2, short_taps=4).float()
    weight, bias = mixer.projections()
    taps, short_bias = mixer.short_filters()
    long, out = mixer.long_filters(9), mixer.output_map()
    assert weight.shape == (3, 3, 3)
    assert bias.shape == short_bias.shape == (3, 3)
    assert taps.shape == (3, 4, 3)
    assert long.shape == (2, 9, 3)
    parts = (weight, bias, taps, short_bias, long, *out)
    assert all(p.dtype == torch.float64 and not p.requires_grad for p in parts)
    x = noise(1, 9, 3)
    expected = from_its_parts(mixer, array(x[0]))
    np.testing.assert_allclose(array(mixer(x.float()))[0], expected, rtol=1e-4, atol=1e-5)


def test_an_identity_first_filter_is_a_delta_and_has_no_parameters():
    mixer = make(order=2, first_filter="identity")
    first, second = mixer.long_filters(5)
    assert torch.equal(first, torch.eye(5, 3, dtype=torch.float64)[:, :1].expand(5, 3))
    assert not torch.equal(second, first)
    assert len(mixer.long) == 1


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_without_biases_output_grows_with_the_input_to_the_power_order_plus_one(order):
    mixer = make(order=order, output_projection=False)
    mixer.projection.bias.data.zero_()
    mixer.short_bias.data.zero_()
    x = noise(1, 11, 3)
    torch.testing.assert_close(mixer(2 * x), 2 ** (order + 1) * mixer(x), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"order": 1},
        {"order": 3, "short_taps": 5},
        {"short_taps": 0, "output_projection": False},
        {"first_filter": "identity"},
        {"order": 1, "first_filter": "identity"},
    ],
)
@pytest.mark.parametrize("length", [1, 2, 17, 20])
def test_stepping_is_the_whole_pass(options, length):
    assert_stepping_is_the_whole_pass(make(**options), 3, length)


def test_the_state_is_the_short_past_of_every_projection_and_the_whole_past_of_every_long_filter():
    assert make(order=2, short_taps=3).state_size(1) == 3 * 3 + 2 * 3
    assert make(order=2, short_taps=3).state_size(50) == 2 * 3 * 3 + 2 * 50 * 3
    assert make(order=2, short_taps=0, first_filter="identity").state_size(50) == 50 * 3


@pytest.mark.parametrize("length", [16, 63, 65])
def test_it_trains_at_lengths_around_its_max_length(length):
    mixer = make(max_length=64)
    mixer(noise(2, length, 3)).square().mean().backward()
    for name, parameter in mixer.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name


# Hyena by BaseConv layers, in two layouts: what the materialised parts are for.


def delta(*taps, length, width):
    h = torch.zeros(length, width, dtype=torch.float64)
    h[list(taps)] = 1
    return h


@pytest.mark.parametrize("order", [1, 2, 3])
def test_order_plus_one_base_conv_layers_of_twice_the_width_are_the_same_map(order):
    """Channels z | u: u is carried by gate 1 and filter delta, z is gated by a projection of u."""
    d, length = 3, 8
    mixer = make(d, order=order, short_taps=0, output_projection=False)
    (w0, *weights), (b0, *biases) = mixer.projections()
    zeros, ones = torch.zeros(d, d), torch.ones(d)
    copy = torch.cat([w0, torch.eye(d)], 1)
    layers = [
        BaseConvLayer(
            ExplicitFilter(torch.zeros(1, 2 * d, dtype=torch.float64)),
            torch.cat([copy, torch.zeros(d, 2 * d)]),
            torch.cat([b0, 0 * ones]),
            torch.ones(2 * d, dtype=torch.float64),
        )
    ]
    for w, b, h in zip(weights, biases, mixer.long_filters(length), strict=True):
        gate = torch.cat([torch.cat([zeros, zeros], 1), torch.cat([w, zeros], 1)])
        taps = torch.cat([h, delta(0, length=length, width=d)], 1)
        layers.append(BaseConvLayer(ExplicitFilter(taps), gate, torch.cat([b, ones])))
    stack = BaseConvStack(layers, channels=d)
    x = noise(2, length, d)
    torch.testing.assert_close(stack(x), mixer(x), rtol=0, atol=1e-12)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_blocks_of_rows_hold_it_at_its_own_width(order):
    """z in block a of N rows, u in block a + 1; two layers move both three blocks down."""
    d, n = 2, 5
    mixer = make(d, order=order, short_taps=0, output_projection=False)
    (w0, *weights), (b0, *biases) = mixer.projections()
    rows = (3 * order + 2) * n
    zero = torch.zeros(d, d, dtype=torch.float64)

    def blocks(values):
        bias = torch.zeros(rows, d, dtype=torch.float64)
        for block, value in values.items():
            bias[block * n : (block + 1) * n] = value
        return bias

    def down(*shifts):
        return delta(*(s * n for s in shifts), length=rows, width=d)

    layers = [BaseConvLayer(ExplicitFilter(down(1)), w0, blocks({0: b0, 1: 1}), blocks({0: 1}))]
    for step, (w, b, h) in enumerate(zip(weights, biases, mixer.long_filters(n), strict=True)):
        a = 3 * step
        filtered = down(2)
        filtered[:n] += h
        layers += [
            BaseConvLayer(ExplicitFilter(filtered), zero, blocks({a: 1, a + 3: 1})),
            BaseConvLayer(ExplicitFilter(down(3, 1)), w, blocks({a + 3: b, a + 4: 1})),
        ]
    stack = BaseConvStack(layers, channels=d, inner_length=rows, delay=3 * order * n)
    assert len(layers) == 2 * order + 1
    x = noise(2, n, d)
    torch.testing.assert_close(stack(x), mixer(x), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"order": 0}, "order of Hyena is 0"),
        ({"short_taps": -1}, "short_taps of Hyena is -1"),
        ({"first_filter": "identiti"}, "did you mean 'identity'"),
        ({"filter_options": {"hiden": 3}}, "did you mean 'hidden'"),
        ({"ordr": 2}, "did you mean 'order'"),
    ],
)
def test_mistakes_are_named(options, words):
    with pytest.raises(UserError, match=words):
        make(**options)
