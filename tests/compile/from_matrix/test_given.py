from __future__ import annotations

import numpy as np
import pytest
import scipy.fft
import scipy.linalg
import torch
from torch import nn

from bestiary.compile.from_matrix import NoStructure, given_matrix, matrix
from bestiary.errors import UserError
from bestiary.structured import ButterflyLinear, KaleidoscopeLinear

RNG = np.random.default_rng(0)
DENSE = RNG.normal(size=(16, 16))


def product(made, x, d):
    """The stack of a matrix applied to vectors (batch, n), real or complex."""
    given = torch.as_tensor(x)
    numbers = torch.view_as_real(given) if given.is_complex() else given
    with torch.no_grad():
        y = made.stack(numbers.double().reshape(len(x), -1, d * (1 + given.is_complex())))
    y = y.reshape(numbers.shape)
    return (torch.view_as_complex(y.contiguous()) if given.is_complex() else y).numpy()


@pytest.mark.parametrize("kind", [np.asarray, torch.as_tensor, np.ndarray.tolist])
def test_an_array_a_tensor_and_a_list_are_recognised(kind):
    dense = scipy.linalg.toeplitz(np.arange(1.0, 9), np.arange(1.0, -7, -1))
    made = matrix(kind(dense), method="auto")
    assert len(made.stack.layers) == 1
    x = RNG.normal(size=(3, 8))
    assert np.allclose(product(made, x, 1), x @ dense.T, rtol=0, atol=1e-12)


def test_a_real_matrix_of_complex_twiddles_keeps_its_channels():
    dense = scipy.fft.dct(np.eye(16), axis=0)
    for method in ("groups", "direct", "auto"):
        made = matrix(dense, 2, method=method)
        assert made.source.width == 2
        x = RNG.normal(size=(3, 16))
        assert np.allclose(product(made, x, 2), x @ dense.T, rtol=0, atol=1e-12)


def test_single_precision_is_recognised_as_what_it_was_rounded_from():
    dense = scipy.fft.dct(np.eye(16), axis=0, norm="ortho")
    x = RNG.normal(size=(3, 16))
    assert np.allclose(product(matrix(dense.astype("f4")), x, 1), x @ dense.T, rtol=0, atol=1e-6)
    fourier = np.fft.fft(np.eye(16), norm="ortho").astype("c8")
    assert given_matrix(fourier).found.detail == "dft times 0.25"
    assert given_matrix(np.fft.fft(np.eye(16)).astype("c8")).found.parameters == 0


@pytest.mark.parametrize("d", [1, 4, 16])
@pytest.mark.parametrize("dense", [DENSE, DENSE + 1j * RNG.normal(size=(16, 16))])
def test_a_matrix_without_structure_compiles_directly(dense, d):
    made = matrix(dense, d, method="direct")
    x = RNG.normal(size=(3, 16)).astype(dense.dtype)
    assert np.allclose(product(made, x, d), x @ dense.T, rtol=0, atol=1e-11)
    if d == 16:
        assert len(made.stack.layers) == len(matrix(dense, d, method="auto").stack.layers) == 1


def test_a_matrix_without_structure_is_refused_with_what_would_do():
    with pytest.raises(NoStructure) as told:
        matrix(DENSE)
    assert str(told.value).endswith(
        "with d = 16 method auto makes it 1 layer of 16 channels, and method direct 3 layers of 16 "
        "with d = 1"
    )
    made = matrix(DENSE, method="direct")
    assert (len(made.stack.layers), made.stack.width) == (3, 16)


@pytest.mark.parametrize(
    "layer",
    [
        ButterflyLinear(16, 16, bit_reversal=True),
        ButterflyLinear(24, 24),
        ButterflyLinear(24, 24, bit_reversal=True),
        KaleidoscopeLinear(16, 16, width=2, bias=False),
        KaleidoscopeLinear(12, 12, expansion=2),
        KaleidoscopeLinear(8, 8, dtype=torch.complex128),
    ],
    ids=repr,
)
def test_a_trainable_layer_is_compiled_with_its_bias(layer):
    if not layer.twiddle.is_complex():
        layer = layer.double()
    if layer.bias is not None:
        layer.bias.data.normal_(generator=torch.Generator().manual_seed(0))
    x = torch.randn(3, layer.in_features, dtype=layer.twiddle.dtype)
    with torch.no_grad():
        expected = layer(x).numpy()
    for d in (1, 4):
        for method in ("groups", "auto"):
            made = matrix(layer, d, method=method)
            assert np.abs(product(made, x, d) - expected).max() <= 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (ButterflyLinear(8, 4), "8 → 4 features is no square matrix"),
        (nn.Linear(8, 8), "a Linear is no structured layer"),
        ("dft", "got a str"),
        (3, "got a int"),
        (np.ones((2, 3)), "it must be square"),
        (np.array([["a"]]), "no array of numbers"),
    ],
)
def test_what_is_no_square_matrix_is_refused(given, said):
    with pytest.raises(UserError, match=said):
        matrix(given)
