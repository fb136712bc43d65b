"""Butterfly factors against matrices written entry by entry."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from butterfly_oracle import factor_by_entries, random_factor
from torch.testing import assert_close

from bestiary.errors import UserError
from bestiary.structured import ButterflyFactor

SIZES = [(n, k) for n in (2, 4, 8, 16) for k in (2, 4, 8, 16) if k <= n]
DTYPES = (torch.float32, torch.float64, torch.complex64, torch.complex128)


def test_a_factor_of_size_4_has_its_diagonals_where_the_definition_puts_them():
    factor = ButterflyFactor(4, 4, torch.arange(1.0, 9.0).reshape(1, 2, 2, 2))
    expected = torch.tensor(
        [[1.0, 0, 3, 0], [0, 2, 0, 4], [5, 0, 7, 0], [0, 6, 0, 8]],
    )
    assert torch.equal(factor.dense(), expected)


@pytest.mark.parametrize(("n", "k"), SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_dense_is_the_definition_and_apply_multiplies_by_it(n, k, dtype):
    factor = random_factor(n, k, dtype)
    expected = torch.from_numpy(factor_by_entries(n, k, factor.twiddle))
    assert torch.equal(factor.dense(), expected)
    x = torch.randn(3, 5, n, dtype=dtype)
    assert_close(factor.apply(x), x @ expected.mT)


@pytest.mark.parametrize(("n", "k"), [(8, 2), (8, 4), (8, 8)])
def test_transpose_conjugate_adjoint_and_inverse_are_those_of_the_dense_matrix(n, k):
    factor = random_factor(n, k, torch.complex128)
    dense = factor.dense()
    assert torch.equal(factor.transpose().dense(), dense.mT)
    assert torch.equal(factor.conjugate().dense(), dense.conj())
    assert torch.equal(factor.adjoint().dense(), dense.mH)
    assert_close(factor.inverse().dense(), torch.linalg.inv(dense))


def test_members_of_a_stack_are_independent_and_blocks_belong_to_one_matrix():
    factor = random_factor(8, 4, stack=(2,))
    assert factor.blocks == 2 and factor.stack == (2,) and factor.shape == (2, 8, 8)
    x = torch.randn(3, 2, 8, dtype=torch.float64)
    for member in range(2):
        alone = ButterflyFactor(8, 4, factor.twiddle[member])
        assert torch.equal(alone.dense(), factor.dense()[member])
        assert_close(alone.apply(x[:, member]), factor.apply(x)[:, member])
    shared = torch.randn(3, 1, 8, dtype=torch.float64)
    assert_close(factor.apply(shared), factor.apply(shared.expand(3, 2, 8)))


def test_the_packed_form_gives_the_factor_back():
    for n, k in SIZES:
        factor = random_factor(n, k, stack=(3,))
        assert factor.packed().shape == (3, 2, 2, n // 2)
        again = ButterflyFactor.from_packed(k, factor.packed())
        assert torch.equal(again.twiddle, factor.twiddle)


def test_scaling_rows_or_columns_is_a_product_with_a_diagonal():
    factor = random_factor(8, 4)
    d = torch.randn(8, dtype=torch.float64)
    assert_close(factor.scale_rows(d).dense(), torch.diag(d) @ factor.dense())
    assert_close(factor.scale_columns(d).dense(), factor.dense() @ torch.diag(d))


def test_counts_are_of_stored_and_of_nonzero_numbers():
    assert random_factor(8, 4, stack=(3,)).parameter_count == 3 * 16
    assert ButterflyFactor.identity(8, 4).count_nonzero() == 8
    assert torch.equal(ButterflyFactor.identity(8, 4).dense(), torch.eye(8, dtype=torch.float64))


def test_the_result_has_the_wider_dtype_of_matrix_and_vector():
    real, imaginary = random_factor(4, 2), random_factor(4, 2, torch.complex64)
    assert real.apply(torch.ones(4)).dtype == torch.float64
    assert real.apply(torch.ones(4, dtype=torch.long)).dtype == torch.float64
    assert imaginary.apply(torch.ones(4)).dtype == torch.complex64
    assert imaginary.apply(torch.ones(4, dtype=torch.float64)).dtype == torch.complex128


def test_the_real_form_acts_on_pairs_of_real_numbers():
    factor = random_factor(4, 4, torch.complex128)
    z = torch.randn(4, dtype=torch.complex128)
    pairs = factor.real_form() @ torch.view_as_real(z).flatten()
    assert_close(torch.view_as_complex(pairs.reshape(4, 2)), factor.apply(z))


def test_a_matrix_times_a_tensor_is_torchs_matrix_product():
    factor = random_factor(8, 4)
    columns = torch.randn(5, 8, 3, dtype=torch.float64)
    assert_close(factor @ columns, factor.dense() @ columns)
    assert_close(factor @ columns[0, :, 0], factor.dense() @ columns[0, :, 0])
    stacked = random_factor(8, 4, stack=(5,))
    assert_close(stacked @ columns, stacked.dense() @ columns)


def test_a_singular_factor_has_no_inverse_and_the_error_names_the_block():
    twiddle = torch.eye(2).reshape(1, 2, 2, 1).repeat(2, 1, 1, 2)
    twiddle[1, :, :, 1] = torch.tensor([[1.0, 2.0], [2.0, 4.0]])
    with pytest.raises(UserError, match=r"block 1 .* size 4 is singular.*position 1"):
        ButterflyFactor(8, 4, twiddle).inverse()
    with pytest.raises(UserError, match=r"block 0 .* of member \(1,\) of the stack"):
        ButterflyFactor(4, 4, torch.stack([twiddle[:1], 0 * twiddle[:1]])).inverse()


@pytest.mark.parametrize(
    ("n", "k", "shape", "words"),
    [
        (6, 2, (3, 2, 2, 1), "n of a butterfly factor is 6; it must be a power of two, such as 8"),
        (8, 3, (2, 2, 2, 1), "k of a butterfly factor is 3"),
        (1, 1, (1, 2, 2, 0), "is 1; it must be a power of two, such as 2"),
        (4, 8, (1, 2, 2, 4), "k = 8 does not fit into n = 4"),
        (8, 4, (2, 2, 2, 4), r"has shape \(2, 2, 2, 4\) \(accepted: \(\*stack, 2, 2, 2, 2\)\)"),
    ],
)
def test_wrong_sizes_are_refused_with_the_value(n, k, shape, words):
    with pytest.raises(UserError, match=words):
        ButterflyFactor(n, k, torch.ones(shape))


def test_entries_that_are_no_finite_floats_are_refused():
    twiddle = torch.ones(1, 2, 2, 1)
    with pytest.raises(UserError, match=r"torch.int64 \(accepted: float32"):
        ButterflyFactor(2, 2, twiddle.long())
    twiddle[0, 1, 0, 0] = np.nan
    with pytest.raises(UserError, match=r"nan at \(0, 1, 0, 0\)"):
        ButterflyFactor(2, 2, twiddle)


def test_vectors_that_do_not_fit_are_refused():
    with pytest.raises(UserError, match=r"shape \(3,\) do not fit a matrix with n = 4"):
        random_factor(4, 2).apply(torch.ones(3))
    with pytest.raises(UserError, match=r"\(3, 4\) do not fit a stack of \(2,\).*\(\.\.\., 2, 4\)"):
        random_factor(4, 2, stack=(2,)).apply(torch.ones(3, 4))
    with pytest.raises(UserError, match=r"shape \(3, 2\) cannot stand right of an n = 4 matrix"):
        random_factor(4, 2) @ torch.ones(3, 2)
    with pytest.raises(UserError, match=r"entries cannot be torch\.float32"):
        random_factor(4, 2, torch.complex64).to(torch.float32)
