"""Cosine and sine transforms at the sizes there are, and what is said of others."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.fft

from bestiary.errors import UserError
from bestiary.structured.transforms import dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4
from bestiary.structured.transforms.diagonal_products import orthonormal_dct2


@pytest.mark.parametrize("n", [2, 16])
@pytest.mark.parametrize(
    ("made", "kind", "by"),
    [
        (dct2, 2, scipy.fft.dct),
        (dct3, 3, scipy.fft.dct),
        (dct4, 4, scipy.fft.dct),
        (dst2, 2, scipy.fft.dst),
        (dst3, 3, scipy.fft.dst),
        (dst4, 4, scipy.fft.dst),
    ],
)
def test_types_two_to_four_are_in_bb_star_squared_at_twice_the_size(made, kind, by, n):
    member = made(n)
    assert (member.n, member.width, member.expansion) == (n, 2, 2)
    dense = member.dense().numpy()
    expected = by(np.eye(n), type=kind, axis=0)
    assert np.abs(dense - expected).max() <= 1e-13 * n
    x = np.random.default_rng(n).standard_normal(n)
    assert np.allclose(dense @ x, by(x, type=kind), atol=1e-12)


@pytest.mark.parametrize("m", [1, 2, 5])
def test_types_one_are_there_beside_powers_of_two(m):
    n = 2**m + 1
    member = dct1(n)
    assert np.allclose(member.dense(), scipy.fft.dct(np.eye(n), type=1, axis=0), atol=1e-13 * n)
    assert (member.width, member.expansion, member.size) == (2, 1, 2 ** (m + 1))
    n = 2**m - 1
    member = dst1(n)
    assert np.allclose(member.dense(), scipy.fft.dst(np.eye(n), type=1, axis=0), atol=1e-13 * n)
    assert (member.width, member.size) == (2, 2 ** (m + 1))


def test_the_orthonormal_transform_has_orthonormal_rows():
    dense = orthonormal_dct2(16).dense().numpy()
    assert np.allclose(dense, scipy.fft.dct(np.eye(16), axis=0, norm="ortho"), atol=1e-14)
    assert np.allclose(dense @ dense.conj().T, np.eye(16), atol=1e-13)


def test_other_sizes_are_refused_since_padding_would_make_another_transform():
    with pytest.raises(UserError, match="transform is 12; it must be a power of two, such as 16"):
        dct2(12)
    with pytest.raises(UserError, match=r"n = 8; it must be 2\^m \+ 1, m from 1, such as 5"):
        dct1(8)
    with pytest.raises(UserError, match=r"n = 8; it must be 2\^m − 1, such as 15"):
        dst1(8)
