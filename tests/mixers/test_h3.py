import numpy as np
import pytest
import torch
from direct_sums import array, assert_stepping_is_the_whole_pass, direct_conv, noise

from bestiary.errors import UserError
from bestiary.mixers import MixerSpec, build_mixer


def make(d_model=4, **options):
    torch.manual_seed(0)
    options = {"d_state": 6, "shift_state": 3, "dt_range": (0.05, 0.5), **options}
    return build_mixer(MixerSpec("h3", options), d_model, max_length=17).double()


def from_its_kernels(mixer, x):
    """q_t times the diagonal SSM of shifted-k outer v, in every head, on one sequence."""
    length, dim = len(x), mixer.head_dim
    weight, bias = array(mixer.projection.weight), array(mixer.projection.bias)
    q, k, v = np.split(x @ weight.T + bias, 3, axis=1)
    shift, diagonal = (array(h) for h in mixer.kernels(length))
    k = direct_conv(k, shift)
    y = np.zeros_like(q)
    for head in range(mixer.heads):
        own = slice(head * dim, (head + 1) * dim)
        outer = np.einsum("ti,tj->tij", k[:, own], v[:, own]).reshape(length, -1)
        kernel = np.repeat(diagonal[:, head : head + 1], dim * dim, axis=1)
        memory = direct_conv(outer, kernel).reshape(length, dim, dim)
        y[:, own] = np.einsum("ti,tij->tj", q[:, own], memory)
    return y @ array(mixer.output.weight).T + array(mixer.output.bias)


@pytest.mark.parametrize("head_dim", [1, 2, 4])
@pytest.mark.parametrize("spectrum", ["complex", "real"])
@pytest.mark.parametrize("length", [1, 2, 17])
def test_the_mixer_is_its_formula_over_the_materialised_kernels(head_dim, spectrum, length):
    mixer = make(head_dim=head_dim, spectrum=spectrum)
    x = noise(2, length, 4, seed=length)
    for b in range(2):
        expected = from_its_kernels(mixer, array(x[b]))
        np.testing.assert_allclose(array(mixer(x))[b], expected, atol=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"head_dim": 2, "spectrum": "real", "d_state": 3},
        {"head_dim": 4, "shift_state": 1},
        {"shift_state": 40, "output_projection": False},
    ],
)
@pytest.mark.parametrize("length", [1, 2, 8, 17])
def test_stepping_is_the_whole_pass(options, length):
    assert_stepping_is_the_whole_pass(make(**options), 4, length)


def test_the_state_is_the_last_keys_and_the_memory_of_every_entry():
    assert make().state_size(1) == 1 * 4 + 4 * 6
    assert make().state_size(1000) == 2 * 4 + 4 * 6
    assert make(head_dim=2).state_size(1000) == 2 * 4 + 2 * (2 * 2) * 6
    assert make(head_dim=4, spectrum="real", d_state=5).state_size(1000) == 2 * 4 + 16 * 5


def test_without_biases_output_grows_with_the_cube_of_the_input():
    mixer = make(output_projection=False)
    mixer.projection.bias.data.zero_()
    x = noise(1, 11, 4)
    torch.testing.assert_close(mixer(2 * x), 8 * mixer(x), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("head_dim", [1, 2])
def test_gradients_reach_every_parameter(head_dim):
    mixer = make(head_dim=head_dim)
    mixer(noise(2, 17, 4)).square().sum().backward()
    for name, parameter in mixer.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name


def test_a_bfloat16_mixer_keeps_its_memory_in_float32():
    mixer = make().bfloat16()
    y, state = mixer.step(noise(2, 4).bfloat16(), mixer.initial_state(2))
    assert y.dtype == torch.bfloat16
    assert state.memory.dtype == torch.float32


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"head_dim": 3}, "head_dim is 3; it must divide d_model, 4"),
        ({"d_state": 5}, "d_state of a complex SSM is 5"),
        ({"d_stat": 4}, "did you mean 'd_state'"),
    ],
)
def test_mistakes_are_named(options, words):
    with pytest.raises(UserError, match=words):
        make(**options)
