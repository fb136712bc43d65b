from __future__ import annotations

import pytest
import torch
from trained_mixers import assert_same_map, noise, trained

from bestiary.compile import hyena
from bestiary.errors import UserError

D, N = 2, 5


def shape(stack):
    return len(stack.layers), stack.width, stack.inner_length


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("taps", [0, 1, 3])
def test_the_channel_layout_is_exact_at_the_bound(order, taps):
    output = (order + taps) % 2 == 0
    mixer = trained("hyena", D, N, order=order, short_taps=taps, output_projection=output)
    stack = hyena(mixer, N).stack
    layers, width = order + 1, 2 * D
    if taps > 1:
        layers, width = order + 2, min(order + 1, taps + 1) * D
    assert shape(stack) == (layers + output, width, N)
    assert stack.causal
    assert_same_map(stack, mixer, D, N, N - 2, 1)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("taps", [0, 1, 3])
def test_the_time_layout_is_exact_at_the_width_of_the_input(order, taps):
    mixer = trained("hyena", D, N, order=order, short_taps=taps, output_projection=taps == 1)
    stack = hyena(mixer, N, layout="time").stack
    layers, width, rows = shape(stack)
    assert (layers, width) == (2 * order + 1 + (taps == 1), D)
    if taps < 2:
        assert rows == (3 * order + 1) * N <= (3 * order + 2) * N
    else:
        assert rows == (3 * N if order == 1 else (3 * order + 4) * N)
    assert_same_map(stack, mixer, D, N, N - 2, 1)


@pytest.mark.parametrize("order", [1, 3])
def test_two_short_taps_cost_no_layer(order):
    mixer = trained("hyena", D, N, order=order, short_taps=2, output_projection=False)
    stack = hyena(mixer, N).stack
    assert shape(stack) == (order + 1, 3 * D, N)
    assert_same_map(stack, mixer, D, N)


@pytest.mark.parametrize("layout", ["channel", "time"])
@pytest.mark.parametrize(("order", "taps"), [(1, 0), (2, 3)])
def test_an_identity_first_filter_is_a_filter_like_any_other(layout, order, taps):
    mixer = trained("hyena", D, N, order=order, short_taps=taps, first_filter="identity")
    assert_same_map(hyena(mixer, N, layout).stack, mixer, D, N, 2)


@pytest.mark.parametrize("layout", ["channel", "time"])
@pytest.mark.parametrize("length", [1, 2])
def test_lengths_below_the_taps_work(layout, length):
    mixer = trained("hyena", D, N, short_taps=4)
    assert_same_map(hyena(mixer, length, layout).stack, mixer, D, length)


def test_a_module_can_be_compiled_for_more_than_its_max_length():
    mixer = trained("hyena", D, 4)
    assert_same_map(hyena(mixer, 9).stack, mixer, D, 9)


def test_the_time_layout_stays_exact_where_products_are_far_larger_than_the_input():
    mixer = trained("hyena", D, N, order=4, short_taps=0, output_projection=False).double()
    stack = hyena(mixer, N, "time").stack
    for scale in (1e-6, 1e6):
        x = scale * noise(2, N, D)
        with torch.no_grad():
            expected, found = mixer(x), stack(x)
        assert (found - expected).abs().max() <= 1e-11 * expected.abs().max()


def test_the_values_have_the_names_of_the_theory():
    mixer = trained("hyena", D, N, order=3, output_projection=True)
    for compiled in (hyena(mixer, N), hyena(mixer, N, "time")):
        names = " ".join(value.name for value in compiled.placed)
        assert {"u", "z0", "z1", "z2", "z3", "y"} <= {n.split(".")[0] for n in names.split()}
    names = {value.name.split(".")[0] for value in hyena(mixer, N).placed}
    assert {"u", "z0", "z1", "z2", "u shifted 1", "u shifted 2"} <= names


def test_the_module_is_left_as_it_is():
    mixer = trained("hyena", D, N).train()
    before = {name: value.clone() for name, value in mixer.state_dict().items()}
    hyena(mixer, N)
    assert mixer.training
    for name, value in mixer.state_dict().items():
        assert value.dtype == torch.float32
        assert torch.equal(value, before[name])


def test_a_mixer_whose_arrays_are_not_what_it_computes_is_refused_with_the_error(monkeypatch):
    mixer = trained("hyena", D, N, output_projection=False)
    arrays = type(mixer).long_filters
    monkeypatch.setattr(type(mixer), "long_filters", lambda self, n: (1 + 1e-6) * arrays(self, n))
    with pytest.raises(UserError, match=r"the compiled Hyena differs .* by \d\.\d\de-0\d"):
        hyena(mixer, N)


@pytest.mark.parametrize(
    ("name", "length", "layout", "words"),
    [
        ("h3", N, "channel", "was given a H3; it takes a Hyena mixer"),
        ("hyena", 0, "channel", "cannot be compiled for 0 positions"),
        ("hyena", N, "tiem", "did you mean 'time'"),
    ],
)
def test_mistakes_are_named(name, length, layout, words):
    with pytest.raises(UserError, match=words):
        hyena(trained(name), length, layout)


def test_weights_that_are_not_finite_are_refused_by_name():
    mixer = trained("hyena", D, N)
    mixer.projection.weight.data[0, 0] = float("nan")
    with pytest.raises(UserError, match=r"the weight of a gated form has nan at \(0, 0\)"):
        hyena(mixer, N)
