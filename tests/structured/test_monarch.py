"""Monarch and block-diagonal matrices, entry by entry."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import torch
from torch.testing import assert_close

from bestiary.errors import UserError
from bestiary.structured.block_diagonal import BlockDiagonal
from bestiary.structured.monarch import Monarch


def drawn(*shape, dtype=torch.float64, seed=0):
    return torch.randn(*shape, dtype=dtype, generator=torch.Generator().manual_seed(seed))


def by_entries(left, right):
    """M[l·q + j, k·q + i] = left[j, l, k] · right[k, j, i]."""
    q, p = left.shape[:2]
    matrix = np.zeros((p * q, p * q), dtype=left.numpy().dtype)
    for row in range(p):
        for j in range(q):
            for k in range(p):
                for i in range(q):
                    matrix[row * q + j, k * q + i] = left[j, row, k] * right[k, j, i]
    return torch.from_numpy(matrix)


@pytest.mark.parametrize(("p", "q"), [(1, 3), (2, 2), (2, 3), (4, 3)])
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_a_monarch_matrix_is_two_block_diagonals_with_a_transposition_between(p, q, dtype):
    left, right = drawn(q, p, p, dtype=dtype), drawn(p, q, q, dtype=dtype, seed=1)
    matrix, expected = Monarch(left, right), by_entries(left, right)
    assert_close(matrix.dense(), expected)
    assert_close(matrix.parts().dense(), expected)
    assert_close(matrix.transpose().dense(), expected.mT)
    assert_close(matrix.adjoint().dense(), expected.mH)
    assert_close((matrix.inverse().dense() @ expected), torch.eye(p * q, dtype=dtype))
    assert matrix.parameter_count == p * q * (p + q) == matrix.count_nonzero()


def test_a_stack_of_monarch_matrices_keeps_them_apart():
    left, right = drawn(2, 3, 4, 4), drawn(2, 4, 3, 3, seed=1)
    matrix = Monarch(left, right)
    x = drawn(5, 2, 12, seed=2)
    expected = torch.stack([by_entries(left[i], right[i]) for i in range(2)])
    assert_close(matrix.apply(x), torch.einsum("sij,bsj->bsi", expected, x))
    assert (matrix.stack, matrix.n) == ((2,), 12)
    assert repr(matrix) == "Monarch(n=12, p=4, q=3, float64, stack=(2,))"


def test_blocks_stand_along_the_diagonal_and_are_inverted_one_by_one():
    blocks = drawn(3, 2, 2)
    matrix = BlockDiagonal(blocks)
    expected = torch.from_numpy(scipy.linalg.block_diag(*blocks.numpy()))
    assert_close(matrix.dense(), expected)
    assert_close(matrix.transpose().dense(), expected.mT)
    assert_close(matrix.inverse().dense(), torch.linalg.inv(expected))
    assert matrix.to(torch.complex64).dtype == torch.complex64
    assert (matrix.n, matrix.count, matrix.block_size) == (6, 3, 2)


def test_a_singular_block_is_named():
    blocks = torch.stack([torch.eye(2), torch.ones(2, 2)]).double()
    with pytest.raises(UserError, match="block 1 of the block-diagonal matrix is singular"):
        BlockDiagonal(blocks).inverse()


def test_blocks_that_do_not_go_together_are_refused():
    with pytest.raises(UserError, match=r"\(3, 2, 2\) and \(3, 3, 3\) make no Monarch"):
        Monarch(drawn(3, 2, 2), drawn(3, 3, 3))
    with pytest.raises(UserError, match=r"have shape \(2, 2, 3\)"):
        BlockDiagonal(drawn(2, 2, 3))
    with pytest.raises(UserError, match="entry nan"):
        BlockDiagonal(torch.full((1, 1, 1), float("nan")))
