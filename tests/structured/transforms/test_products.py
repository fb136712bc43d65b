"""Kronecker products, blocks and products of fast transforms, by dense products."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from butterfly_oracle import random_butterfly, random_kaleidoscope

from bestiary.errors import UserError
from bestiary.structured.transforms import (
    acdc,
    block_diagonal,
    circulant,
    dct2,
    dft,
    dft_2d,
    fastfood,
    hadamard,
    kronecker,
    permutation,
    toeplitz,
)
from bestiary.structured.transforms.chain import product


@pytest.mark.parametrize("sizes", [(2, 2), (2, 8), (8, 2), (4, 4)])
@pytest.mark.parametrize("widths", [(1, 1), (2, 1), (1, 2)])
def test_a_kronecker_product_has_the_larger_width(sizes, widths):
    left, right = (
        random_kaleidoscope(n, w, torch.complex128, seed=n)
        for n, w in zip(sizes, widths, strict=True)
    )
    made = kronecker(left, right)
    assert made.width == max(widths) and made.expansion == 1
    assert np.allclose(made.dense(), np.kron(left.dense(), right.dense()))


@pytest.mark.parametrize(("left", "right"), [((4, 2), (4, 4)), ((4, 4), (8, 2)), ((8, 4), (16, 4))])
def test_expansions_of_a_kronecker_product_multiply(left, right):
    a, b = (random_kaleidoscope(size, 1, n=n, seed=size) for size, n in (left, right))
    made = kronecker(a, b)
    assert made.size == a.size * b.size and made.expansion == a.expansion * b.expansion
    assert np.allclose(made.dense(), np.kron(a.dense(), b.dense()))


def test_butterflies_of_either_class_and_a_left_factor_of_any_size_are_taken():
    a, b = random_butterfly(4), random_butterfly(4, adjoint=True, seed=3)
    assert np.allclose(kronecker(a, b).dense(), np.kron(a.dense(), b.dense()))
    tall, short = toeplitz([1.0, 2.0, 3.0]), hadamard(4)
    assert np.allclose(kronecker(tall, short).dense(), np.kron(tall.dense(), short.dense()))
    with pytest.raises(UserError, match="left factor of a Kronecker product has n = 3"):
        kronecker(tall, dct2(4))
    with pytest.raises(UserError, match="right factor of a Kronecker product is 3"):
        kronecker(short, tall)


def test_the_2d_dft_is_fft2_of_the_array():
    x = np.random.default_rng(0).standard_normal((4, 8))
    made = dft_2d(4, 8).apply(torch.from_numpy(x).flatten())
    assert np.allclose(made.reshape(4, 8), np.fft.fft2(x))


def test_blocks_stand_along_the_diagonal():
    blocks = [permutation([1, 0]), random_kaleidoscope(2, 2, seed=5)]
    made = block_diagonal(blocks)
    expected = np.zeros((4, 4))
    expected[:2, :2], expected[2:, 2:] = (block.dense() for block in blocks)
    assert np.allclose(made.dense(), expected) and made.width == 2
    four = block_diagonal([random_kaleidoscope(4, 1, seed=seed) for seed in range(4)])
    assert (four.n, four.width, four.expansion) == (16, 1, 1)
    with pytest.raises(UserError, match="number of blocks is 3"):
        block_diagonal([hadamard(2)] * 3)
    with pytest.raises(UserError, match="cannot be a block beside"):
        block_diagonal([hadamard(2), hadamard(4)])
    with pytest.raises(UserError, match="got none"):
        block_diagonal([])


def test_fastfood_and_acdc_ask_for_matching_diagonals():
    ones = np.ones(4)
    assert np.allclose(fastfood(ones, ones, range(4), ones).dense(), 2 * np.eye(4))  # H² = 4·I
    assert np.allclose(acdc(ones, 3 * ones).dense(), 3 * np.eye(4))
    with pytest.raises(UserError, match="diagonals of 4, 4 and 3 entries and a permutation of 4"):
        fastfood(ones, ones, range(4), ones[:3])
    with pytest.raises(UserError, match="diagonals of 4 and 3 entries"):
        acdc(ones, ones[:3])
    with pytest.raises(UserError, match="must be a power of two"):
        fastfood(np.ones(3), np.ones(3), range(3), np.ones(3))


@pytest.mark.parametrize("n", [4, 3])
def test_a_product_at_once_is_the_product_one_by_one(n):
    members = [random_kaleidoscope(size, 1, torch.float32, n=n, seed=size) for size in (4, 16, 8)]
    at_once = product(*members)
    assert (at_once.width, at_once.size, at_once.dtype) == (3, 16, torch.float32)
    one_by_one = members[0].dense() @ members[1].dense() @ members[2].dense()
    assert torch.allclose(at_once.dense(), one_by_one, rtol=1e-4, atol=1e-4)
    with pytest.raises(UserError, match="n differs"):
        product(hadamard(4), hadamard(8))


def test_inverses_stay_in_their_class():
    assert np.allclose(dft(8).inverse().dense(), np.fft.ifft(np.eye(8)))
    assert dft(8).inverse().width == 2
    butterfly = random_butterfly(8)
    assert butterfly.inverse().in_b_star
    assert np.allclose(butterfly.inverse().dense(), np.linalg.inv(butterfly.dense()))
    with pytest.raises(UserError, match="singular"):
        circulant([1.0, -1.0, 0.0, 0.0]).inverse()
