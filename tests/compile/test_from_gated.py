from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn
from trained_mixers import assert_same_map, trained

from bestiary.compile import GatedForm, GatedStep, Projection, gated, h3
from bestiary.errors import UserError
from bestiary.mixers.base_conv import BaseConv

D, N = 4, 6
H3_OPTIONS = {"d_state": 4, "shift_state": 3}


def shape(stack):
    return len(stack.layers), stack.width, stack.inner_length


@pytest.mark.parametrize("head_dim", [1, 2, 4])
@pytest.mark.parametrize("output", [False, True])
def test_h3_is_exact_in_three_layers_and_one_for_its_output_or_its_heads(head_dim, output):
    mixer = trained("h3", D, N, head_dim=head_dim, output_projection=output, **H3_OPTIONS)
    stack = h3(mixer, N).stack
    layers = 3 + (output or head_dim > 1)
    assert shape(stack) == (layers, D * head_dim + D, N)
    assert_same_map(stack, mixer, D, N, 2, 1)


@pytest.mark.parametrize("spectrum", ["real", "complex"])
def test_both_spectra_of_h3_and_a_shift_longer_than_the_sequence(spectrum):
    mixer = trained("h3", D, N, d_state=4, shift_state=N + 3, spectrum=spectrum)
    assert_same_map(h3(mixer, N).stack, mixer, D, N)


def test_h3_in_blocks_of_rows_has_its_own_width():
    mixer = trained("h3", D, N, **H3_OPTIONS)
    stack = h3(mixer, N, layout="time").stack
    assert shape(stack) == (2 * 2 + 1 + 1, D, 7 * N)
    assert_same_map(stack, mixer, D, N, 2)


def test_heads_do_not_fit_into_the_width_of_the_input():
    mixer = trained("h3", D, N, head_dim=2, **H3_OPTIONS)
    with pytest.raises(
        UserError, match="time layout of H3 would need 8 channels of z in rows of 4"
    ):
        h3(mixer, N, layout="time")


@pytest.mark.parametrize(("taps", "bias"), [(1, True), (3, True), (3, False), (9, True)])
def test_a_short_gated_convolution_is_three_layers(taps, bias):
    mixer = trained("short_conv", D, N, taps=taps, bias=bias)
    stack = gated(mixer, N).stack
    assert shape(stack) == (3, 2 * D, N)
    assert_same_map(stack, mixer, D, N, 2)
    assert_same_map(gated(mixer, N, "time").stack, mixer, D, N, 2)


@pytest.mark.parametrize(
    ("options", "layers", "width"),
    [
        ({}, 1, 3),
        ({"layers": 3, "filter": "short"}, 3, 3),
        ({"layers": 2, "filter": "long", "bias": "row", "output_projection": True}, 3, 3),
        ({"layers": 2, "inner_width": 5}, 2, 5),
        # Channels that begin empty stay so without biases.
        ({"layers": 2, "bias": "none", "inner_width": 5}, 2, 3),
    ],
)
def test_a_base_conv_keeps_its_layers_and_its_width(options, layers, width):
    mixer = trained("base_conv", 3, N, **options)
    stack = gated(mixer, N).stack
    assert shape(stack) == (layers, width, N)
    assert_same_map(stack, mixer, 3, N, 2, 1)


@pytest.mark.parametrize("mode", ["causal", "circular"])
def test_a_base_conv_that_looks_ahead_keeps_its_ring_or_its_delay(mode):
    mixer = trained(
        "base_conv", 3, N, layers=2, mode=mode, lookahead=True, inner_length=N + 4, delay=3
    )
    stack = gated(mixer, N).stack
    assert stack.delay == 3
    assert [layer.mode for layer in stack.layers] == [mode] * 2
    assert_same_map(stack, mixer, 3, N, 2)


class Decay(nn.Module):
    """y = (x A + a) ⊙ (0.5^t * x): a gated mixer of someone's own."""

    def __init__(self, d_model: int, wrong: float = 0.0) -> None:
        super().__init__()
        self.gate = nn.Linear(d_model, d_model)
        self.wrong = wrong

    def forward(self, x):
        state, rows = torch.zeros_like(x[:, 0]), []
        for t in range(x.shape[1]):
            state = 0.5 * state + x[:, t]
            rows.append(state)
        return self.gate(x) * torch.stack(rows, 1)

    def state_size(self, length):
        return self.gate.in_features

    def gated_form(self, length: int) -> GatedForm:
        d = self.gate.in_features
        weight, bias = self.gate.weight.detach().numpy().T, self.gate.bias.detach().numpy()
        kernel = np.tile((0.5 + self.wrong) ** np.arange(length)[:, None], (1, d))
        return GatedForm(Projection(np.eye(d)), (GatedStep(Projection(weight, bias), kernel),))


def test_a_mixer_of_ones_own_is_compiled_by_its_gated_form():
    mixer = Decay(D)
    stack = gated(mixer, N).stack
    # q^0 is the input itself: nothing to project, one layer.
    assert shape(stack) == (1, D, N)
    assert_same_map(stack, mixer, D, N, 1)


def test_a_gated_form_that_is_not_what_the_mixer_does_is_refused_with_the_error():
    with pytest.raises(UserError, match=r"the compiled Decay differs .* by \d\.\d\de-0\d"):
        gated(Decay(D, wrong=1e-6), N)


@pytest.mark.parametrize("name", ["attention", "sliding_window", "based"])
def test_what_is_no_gated_convolution_is_refused_in_one_sentence(name):
    with pytest.raises(UserError, match=r"^\w+ cannot be compiled: it is no gated convolution"):
        gated(trained(name, D, N), N)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"mode": "circular", "lookahead": True}, "give it an inner_length"),
        ({"inner_length": 4}, "takes at most 4 rows; it cannot be compiled for 6"),
    ],
)
def test_a_base_conv_that_has_no_stack_of_that_length_is_refused(options, words):
    with pytest.raises(UserError, match=words):
        gated(BaseConv(3, **options), N)


def form(**changes):
    one = Projection(np.eye(2))
    parts = {"value": one, "steps": (GatedStep(one, np.ones((3, 2))),), **changes}
    return GatedForm(**parts)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"steps": ()}, "no steps"),
        ({"steps": (GatedStep(Projection(np.eye(2)), np.ones((3, 1))),)}, r"kernel 1 .*\(3, 1\)"),
        ({"steps": (GatedStep(Projection(np.eye(3)), np.ones((3, 2))),)}, r"projection 1 .*\(3, 3"),
        ({"value": Projection(np.eye(2), np.ones(3))}, r"bias of projection 0 .*shape \(3,\)"),
        ({"value": Projection(np.eye(2), taps=np.ones((0, 2)))}, r"taps of .*\(0, 2\)"),
        ({"output_weight": np.ones((3, 2))}, r"output_weight .*\(3, 2\); \(2, any\) is needed"),
        ({"output_bias": np.array([np.inf, 0])}, r"output_bias .* inf at \(0,\)"),
    ],
)
def test_gated_forms_that_do_not_fit_are_refused_by_part(changes, words):
    with pytest.raises(UserError, match=words):
        form(**changes)


def test_a_weight_that_is_no_matrix_is_refused_and_lists_and_tensors_are_arrays():
    with pytest.raises(
        UserError, match=r"the weight of a gated form has shape \(2,\); \(any, any\)"
    ):
        Projection(np.ones(2))
    one = Projection([[1, 2], [3, 4]], torch.ones(2))
    assert one.weight.tolist() == [[1, 2], [3, 4]]
    assert one.weight.dtype == one.bias.dtype == np.float64
