"""Trainable butterflies and kaleidoscopes as stand-ins for dense layers."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn
from torch.testing import assert_close

from bestiary.errors import UserError
from bestiary.structured import (
    Butterfly,
    ButterflyLinear,
    Kaleidoscope,
    KaleidoscopeLinear,
)
from bestiary.structured.transforms import circulant

LAYERS = [ButterflyLinear, KaleidoscopeLinear]
SIZES = [(8, 8), (5, 5), (8, 3), (3, 8), (1, 1), (6, 16)]


@pytest.mark.parametrize("layer_class", LAYERS)
@pytest.mark.parametrize(("inputs", "outputs"), SIZES)
@pytest.mark.parametrize("shape", [(), (4,), (2, 3)])
def test_a_layer_is_the_dense_layer_with_its_matrix_and_bias(layer_class, inputs, outputs, shape):
    layer = layer_class(inputs, outputs, dtype=torch.float64)
    nn.init.normal_(layer.bias)
    dense = nn.Linear(inputs, outputs, dtype=torch.float64)
    dense.load_state_dict({"weight": layer.dense().detach(), "bias": layer.bias.detach()})
    x = torch.randn(*shape, inputs, dtype=torch.float64)
    assert layer(x).shape == (*shape, outputs)
    assert_close(layer(x), dense(x))


@pytest.mark.parametrize("layer_class", LAYERS)
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_an_orthogonal_start_is_orthogonal_or_unitary(layer_class, dtype):
    matrix = layer_class(16, 16, init="orthogonal", dtype=dtype).matrix().dense()
    assert_close(matrix.mH @ matrix, torch.eye(16, dtype=dtype))
    assert (matrix - torch.eye(16)).abs().max() > 0.1


@pytest.mark.parametrize("layer_class", LAYERS)
def test_an_identity_start_copies_and_cuts(layer_class):
    layer = layer_class(5, 8, init="identity")
    x = torch.randn(3, 5)
    assert torch.equal(layer(x), nn.functional.pad(x, (0, 3)))
    assert torch.equal(layer_class(8, 5, init="identity", bias=False).dense(), torch.eye(8)[:5])


def test_a_dft_start_is_the_unitary_dft():
    x = torch.randn(3, 16, dtype=torch.complex128)
    expected = torch.from_numpy(np.fft.fft(x.numpy(), norm="ortho"))
    butterfly = ButterflyLinear(16, 16, init="dft", bit_reversal=True, dtype=torch.complex128)
    assert_close(butterfly(x), expected)
    for width in (2, 3):
        layer = KaleidoscopeLinear(16, 16, init="dft", width=width, dtype=torch.complex128)
        assert_close(layer(x), expected)
    single = ButterflyLinear(16, 16, init="dft", bit_reversal=True, dtype=torch.complex64)
    assert_close(single(x.to(torch.complex64)), expected.to(torch.complex64))


def test_a_random_start_keeps_the_mean_square_on_average_over_starts():
    torch.manual_seed(0)
    x = torch.randn(100, 8)
    for layer, starts in ((ButterflyLinear, 200), (KaleidoscopeLinear, 400)):
        squares = [layer(8, 8, init="random")(x).square().mean() for _ in range(starts)]
        assert abs(torch.stack(squares).mean() - 1) < 0.2


def test_a_kaleidoscope_may_be_the_start():
    start = circulant([1.0, 2.0, 3.0, 4.0])
    layer = KaleidoscopeLinear(4, 4, init=start, width=2, dtype=start.dtype)
    assert_close(layer.dense(), start.dense())
    assert layer.twiddle.requires_grad and layer.matrix().width == 2
    with pytest.raises(UserError, match=r"size 8 and width 1 cannot start as Kaleidoscope\(n=4"):
        KaleidoscopeLinear(8, 8, init=start)


def test_the_bit_reversal_is_fixed_and_stored():
    layer = ButterflyLinear(8, 8, init="identity", bias=False, bit_reversal=True)
    assert layer(torch.arange(8.0)).tolist() == [0, 4, 2, 6, 1, 5, 3, 7]
    assert [name for name, _ in layer.named_parameters()] == ["twiddle"]
    assert "source" in layer.state_dict()


@pytest.mark.parametrize("layer_class", LAYERS)
def test_the_matrix_is_a_math_object_over_the_same_parameters(layer_class):
    layer = layer_class(8, 8, bias=False)
    assert isinstance(layer.matrix(), Butterfly | Kaleidoscope)
    (layer.matrix().dense() ** 2).sum().backward()
    assert layer.twiddle.grad is not None and layer.twiddle.grad.abs().max() > 0


def test_parameters_are_counted_as_the_literature_counts_them():
    count = ButterflyLinear(64, 64, bias=False).twiddle.numel()
    assert count == 2 * 64 * 6
    layer = KaleidoscopeLinear(64, 64, bias=False, width=3, expansion=2)
    assert layer.twiddle.numel() == 4 * 3 * 128 * 7 and layer.matrix().width == 3


def test_padding_shows():
    assert "padded to size=128" in repr(ButterflyLinear(100, 50))
    assert "padded" not in repr(ButterflyLinear(128, 128))
    expanded = repr(KaleidoscopeLinear(4, 4, width=2, expansion=2))
    assert "padded to size=8" in expanded and "width=2, expansion=2" in expanded


@pytest.mark.parametrize("layer_class", LAYERS)
def test_a_layer_trains_and_its_state_can_be_loaded(layer_class):
    torch.manual_seed(0)
    layer = layer_class(6, 6)
    x, y = torch.randn(64, 6), torch.randn(64, 6)
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.02)
    losses = []
    for _ in range(30):
        loss = (layer(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    other = layer_class(6, 6)
    other.load_state_dict(layer.state_dict())
    assert torch.equal(other(x), layer(x))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ButterflyLinear(0, 4), "in_features is 0"),
        (lambda: ButterflyLinear(4, -1), "out_features is -1"),
        (lambda: ButterflyLinear(4, 4, init="zeros"), "unknown init 'zeros'"),
        (lambda: ButterflyLinear(4, 4, dtype=torch.float16), r"cannot be torch.float16 \(accepted"),
        (
            lambda: ButterflyLinear(6, 6, init="dft", bit_reversal=True, dtype=torch.complex64),
            "6 → 6 features in butterflies of size 8 cannot start as a DFT",
        ),
        (
            lambda: ButterflyLinear(8, 8, init="dft", dtype=torch.complex64),
            "bit_reversal=True; got torch.complex64 and bit_reversal=False",
        ),
        (lambda: KaleidoscopeLinear(8, 8, init="dft", width=2), "complex dtype; got torch.float32"),
        (
            lambda: KaleidoscopeLinear(8, 8, init="dft", dtype=torch.complex64),
            "size 8 and width 1 cannot start as Kaleidoscope",
        ),
        (lambda: KaleidoscopeLinear(8, 8, width=0), "width is 0"),
        (lambda: KaleidoscopeLinear(8, 8, expansion=3), "expansion is 3"),
        (lambda: ButterflyLinear(8, 4)(torch.ones(2, 4)), r"shape \(2, 4\) \(accepted: \(..., 8"),
    ],
)
def test_what_a_layer_cannot_be_is_said(make, words):
    with pytest.raises(UserError, match=words):
        make()
