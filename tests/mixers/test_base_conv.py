import numpy as np
import pytest
import torch
from direct_sums import array, assert_stepping_is_the_whole_pass, direct_conv, noise

from bestiary.errors import UserError
from bestiary.mixers import MixerSpec, build_mixer
from bestiary.mixers.base_conv import BaseConv

EVERY_KIND = [
    {"filter": "short"},
    {"filter": "short", "taps": 1, "bias": "none"},
    {"filter": "long"},
    {"filter": "implicit"},
    {"filter": "short", "bias": "row", "inner_width": 5, "layers": 3, "output_projection": True},
]


def make(d_model=3, **options):
    torch.manual_seed(0)
    return build_mixer(MixerSpec("base_conv", options), d_model, max_length=17).double()


def with_noise(mixer):
    """Biases start constant; these are not."""
    for seed, parameter in enumerate(mixer.parameters(), start=10):
        parameter.data += 0.3 * noise(*parameter.shape, seed=seed)
    return mixer


@pytest.mark.parametrize("filter", ["short", "long", "implicit"])
@pytest.mark.parametrize("bias", ["channel", "row"])
def test_the_mixer_is_the_formula_with_nothing_besides(filter, bias):
    mixer = with_noise(make(filter=filter, bias=bias))
    (layer,) = mixer.stack.layers
    assert sum(p.numel() for p in mixer.parameters()) == sum(
        p.numel() for p in (layer.weight, layer.gate_bias, layer.conv_bias)
    ) + sum(p.numel() for p in layer.filter.parameters())
    x = noise(1, 11, 3)
    w, b1, b2 = (array(p) for p in (layer.weight, layer.gate_bias, layer.conv_bias))
    rows = slice(None, 11) if bias == "row" else slice(None)
    h = array(layer.filter(11))
    expected = (array(x[0]) @ w + b1[rows]) * (direct_conv(array(x[0]), h) + b2[rows])
    np.testing.assert_allclose(array(mixer(x))[0], expected, atol=1e-12)


@pytest.mark.parametrize("options", EVERY_KIND)
@pytest.mark.parametrize("length", [1, 2, 17])
def test_stepping_is_the_whole_pass(options, length):
    assert_stepping_is_the_whole_pass(with_noise(make(**options)), 3, length)


@pytest.mark.parametrize("filter", ["short", "implicit"])
def test_going_past_max_length_is_fine_without_row_biases(filter):
    assert_stepping_is_the_whole_pass(with_noise(make(filter=filter)), 3, 30)


def test_state_sizes_are_what_the_filters_reach_back():
    assert make(filter="short", taps=4).state_size(2) == 2 * 3
    assert make(filter="short", taps=4).state_size(100) == 3 * 3
    assert make(filter="long").state_size(100) == 16 * 3
    assert make(filter="implicit").state_size(100) == 100 * 3
    assert make(filter="short", taps=4, inner_width=5, layers=2).state_size(100) == 2 * 3 * 5


@pytest.mark.parametrize("filter", ["short", "long", "implicit"])
def test_without_biases_output_grows_with_the_square_of_the_input(filter):
    mixer, x = make(filter=filter, bias="none"), noise(2, 13, 3)
    torch.testing.assert_close(mixer(3 * x), 9 * mixer(x), rtol=1e-12, atol=1e-12)


def test_stacked_layers_double_the_degree_each():
    mixer, x = make(bias="none", layers=3), noise(2, 13, 3)
    torch.testing.assert_close(mixer(2 * x), 2**8 * mixer(x), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("options", [{"mode": "circular"}, {"delay": 2}])
def test_seeing_ahead_is_refused_unless_asked_for(options):
    with pytest.raises(UserError, match="not causal"):
        make(**options)
    mixer = make(**options, lookahead=True)
    x = noise(1, 9, 3)
    later = x.clone()
    later[:, 6:] += 1
    assert not torch.allclose(mixer(x)[:, :6], mixer(later)[:, :6])


def test_row_biases_fix_the_greatest_length():
    mixer = make(bias="row")
    assert mixer(noise(1, 17, 3)).shape == (1, 17, 3)
    with pytest.raises(UserError, match="17 rows was given length 18"):
        mixer(noise(1, 18, 3))


def test_biases_start_where_they_are_told_to():
    (layer,) = make(gate_bias=1.0, conv_bias=-2.0).stack.layers
    assert (layer.gate_bias == 1).all()
    assert (layer.conv_bias == -2).all()


def test_gradients_reach_every_parameter():
    for options in EVERY_KIND:
        mixer = with_noise(make(**options))
        mixer(noise(2, 17, 3)).square().sum().backward()
        for name, parameter in mixer.named_parameters():
            assert parameter.grad is not None, name
            assert parameter.grad.isfinite().all(), name


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"filter": "shrot"}, "did you mean 'short'"),
        ({"bias": "rows"}, "did you mean 'row'"),
        ({"tap": 3}, "did you mean 'taps'"),
        (
            {"filter": "short", "filter_options": {"dekay": 1.0}},
            "BaseConv filter 'short' has no option 'dekay'",
        ),
        ({"filter": "implicit", "filter_options": {"max_length": 9}}, "no option 'max_length'"),
        ({"inner_width": 2}, "inner_width is 2; it must be at least d_model, 3"),
        ({"layers": 0}, "layers of BaseConv is 0"),
        ({"filter": "short", "taps": 0}, "taps is 0"),
        ({"filter": "long", "taps": 4}, "only filter 'short' has taps"),
        ({"mode": "round"}, "unknown BaseConv mode 'round'"),
    ],
)
def test_mistakes_are_named(options, words):
    with pytest.raises(UserError, match=words):
        make(**options)


def test_the_class_stands_alone():
    assert BaseConv(4)(torch.zeros(1, 5, 4)).shape == (1, 5, 4)
