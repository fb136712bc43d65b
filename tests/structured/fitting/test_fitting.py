"""Members are found again from their dense matrices, and others come with an honest residual."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from butterfly_oracle import random_butterfly, random_kaleidoscope

from bestiary.errors import UserError
from bestiary.structured import Permutation
from bestiary.structured.fitting import fit_butterfly, fit_kaleidoscope, fit_monarch
from bestiary.structured.monarch import Monarch
from bestiary.structured.transforms import circulant

TYPES = [torch.float64, torch.complex128]


def relative(dense, fitted):
    return float((dense - fitted).norm() / dense.norm())


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [2, 4, 32])
def test_a_butterfly_is_found_again_from_its_dense_matrix(n, dtype):
    for adjoint in (False, True):
        member = random_butterfly(n, dtype, adjoint=adjoint)
        fit = fit_butterfly(member.dense(), adjoint=adjoint)
        assert fit.residual <= 1e-13
        assert relative(member.dense(), fit.matrix.dense()) <= 1e-13
        assert fit.matrix.in_b_star if adjoint else fit.matrix.in_b
        assert fit.matrix.is_complex == dtype.is_complex


def test_a_butterfly_with_factors_full_of_zeros_is_found_again():
    member = random_butterfly(16).scale_columns((torch.arange(16) % 3 != 0).double())
    assert fit_butterfly(member.dense()).residual <= 1e-13
    assert fit_butterfly(torch.zeros(8, 8)).residual == 0
    assert fit_butterfly(torch.eye(8)).residual <= 1e-15


@pytest.mark.parametrize("n", [4, 32])
def test_the_dft_is_found_exactly_with_the_bit_reversal_and_not_without(n):
    dense = torch.from_numpy(np.fft.fft(np.eye(n)))
    fit = fit_butterfly(dense, Permutation.bit_reversal(n))
    assert fit.residual <= 1e-13
    assert relative(dense, fit.matrix.dense()) <= 1e-13
    if n > 4:
        assert fit_butterfly(dense).residual > 0.1


@pytest.mark.parametrize("seed", range(5))
def test_a_perturbed_member_is_fitted_within_the_bound(seed):
    n, noise = 16, 1e-3
    member = random_butterfly(n, seed=seed).dense()
    shift = torch.randn(n, n, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    dense = member + noise * shift
    fit = fit_butterfly(dense)
    # The nearest butterfly is at most ‖noise‖ away, and log2 n − 1 = 3 splits drop that at most.
    assert fit.residual <= np.sqrt(3) * relative(dense, member)
    assert fit.residual == pytest.approx(relative(dense, fit.matrix.dense()))


@pytest.mark.parametrize("n", [2, 4, 16])
def test_a_member_of_bb_star_in_general_position_is_factored(n):
    for dtype in TYPES:
        member = random_kaleidoscope(n, 1, dtype, seed=3)
        fit = fit_kaleidoscope(member.dense())
        assert fit.residual <= 1e-9
        assert relative(member.dense().to(fit.matrix.dtype), fit.matrix.dense()) <= 1e-9
        assert fit.matrix.width == 1
    found = fit_kaleidoscope(circulant(np.random.default_rng(n).standard_normal(n)).dense())
    assert found.residual <= 1e-12


def test_what_is_not_in_bb_star_shows_in_the_residual():
    dense = np.random.default_rng(0).standard_normal((16, 16))
    assert fit_kaleidoscope(dense).residual > 0.1


def test_the_nearest_monarch_matrix_is_the_member_itself_and_otherwise_an_orthogonal_projection():
    generator = torch.Generator().manual_seed(0)
    for p, q in ((4, 4), (2, 6), (5, 3)):
        left = torch.randn(q, p, p, dtype=torch.complex128, generator=generator)
        right = torch.randn(p, q, q, dtype=torch.complex128, generator=generator)
        dense = Monarch(left, right).dense()
        fit = fit_monarch(dense, p)
        assert fit.residual <= 1e-14
        assert relative(dense, fit.matrix.dense()) <= 1e-14
    dense = torch.randn(12, 12, dtype=torch.float64, generator=generator)
    fitted = fit_monarch(dense).matrix.dense()
    # Blocks of rank one: what is left is orthogonal to what was taken.
    assert abs(float(((dense - fitted) * fitted).sum())) <= 1e-12
    blocks = fitted.reshape(3, 4, 3, 4).permute(1, 2, 0, 3)
    assert int(torch.linalg.matrix_rank(blocks).max()) == 1


def test_what_cannot_be_fitted_is_refused():
    with pytest.raises(UserError, match=r"shape \(2, 3\); it must be square"):
        fit_butterfly(np.ones((2, 3)))
    with pytest.raises(UserError, match="is 6; it must be a power of two, such as 8"):
        fit_butterfly(np.ones((6, 6)))
    with pytest.raises(UserError, match="entry nan"):
        fit_monarch(np.full((4, 4), np.nan))
    with pytest.raises(UserError, match="permutation of 4 does not go with a matrix of n = 8"):
        fit_butterfly(np.eye(8), Permutation.bit_reversal(4))
    with pytest.raises(UserError, match="5 rows do not divide n = 12"):
        fit_monarch(np.eye(12), 5)
