"""Sparse and low-rank matrices, and the constants of their places in the hierarchy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.errors import UserError
from bestiary.structured.transforms import low_rank, low_rank_plus_sparse, sparse


def random_sparse(n, nonzeros, seed=0):
    generator = np.random.default_rng((seed, n, nonzeros))
    matrix = np.zeros(n * n)
    matrix[generator.permutation(n * n)[:nonzeros]] = generator.uniform(1, 2, nonzeros)
    return matrix.reshape(n, n)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 9), st.integers(0, 81), st.integers(0, 5))
def test_any_matrix_is_the_kaleidoscope_of_its_nonzeros(n, nonzeros, seed):
    matrix = random_sparse(n, min(nonzeros, n * n), seed)
    assert np.abs(sparse(matrix).dense().numpy() - matrix).max() <= 1e-12


@pytest.mark.parametrize(
    ("nonzeros", "width", "expansion"),
    [
        (0, 3, 1),
        (16, 3, 1),  # s ≤ n
        (17, 3, 2),
        (32, 3, 2),  # s ≤ 2n
        (33, 3, 4),
        (64, 3, 4),  # s ≤ 4n
        (65, 6, 4),  # 3·(⌈65/32⌉ − 1)
        (96, 6, 4),  # 3n + 3n: both steps full
        (97, 9, 4),
        (128, 9, 4),  # 3n + 2n + 3n
        (256, 21, 4),  # 3·(16/2 − 1)
    ],
)
def test_the_width_of_s_nonzeros_is_three_times_half_of_s_over_n(nonzeros, width, expansion):
    matrix = random_sparse(16, nonzeros)
    made = sparse(matrix)
    assert (made.width, made.expansion) == (width, expansion)
    assert np.abs(made.dense().numpy() - matrix).max() <= 1e-12


def test_a_scipy_matrix_is_taken_with_duplicates_added_up():
    rows, columns, values = [0, 2, 2, 1], [1, 0, 0, 1], [1.0, 2.0, 3.0, 0.0]
    matrix = scipy.sparse.coo_array((values, (rows, columns)), shape=(3, 3))
    assert np.array_equal(sparse(matrix).dense().numpy(), [[0, 1, 0], [0, 0, 0], [5, 0, 0]])
    complex_one = scipy.sparse.csr_array(np.diag([1j, 2.0]))
    assert np.array_equal(sparse(complex_one).dense().numpy(), np.diag([1j, 2.0]))


@pytest.mark.parametrize("n", [1, 5, 8])
@pytest.mark.parametrize("rank", [1, 2, 3, 5])
def test_a_rank_r_matrix_has_width_half_of_r_and_expansion_four(n, rank):
    left, right = np.random.default_rng(rank).standard_normal((2, n, rank))
    made = low_rank(left, right)
    assert (made.width, made.expansion) == ((rank + 1) // 2, 4)
    assert np.abs(made.dense().numpy() - left @ right.T).max() <= 1e-12


@pytest.mark.parametrize(("nonzeros", "width"), [(0, 5), (24, 5), (25, 8), (40, 8), (64, 14)])
def test_low_rank_plus_sparse_adds_their_widths(nonzeros, width):
    left, right = np.random.default_rng(1).standard_normal((2, 8, 3))
    matrix = random_sparse(8, nonzeros)
    made = low_rank_plus_sparse(left, right, matrix)
    assert (made.width, made.expansion) == (width, 4)
    assert np.abs(made.dense().numpy() - left @ right.T - matrix).max() <= 1e-12


def test_complex_factors_are_not_conjugated():
    made = low_rank([[1j], [2.0]], [[1.0], [1j]])
    assert np.allclose(made.dense().numpy(), [[1j, -1], [2, 2j]])


def test_what_does_not_fit_is_refused():
    with pytest.raises(UserError, match=r"shape \(2, 3\); it must be square"):
        sparse(np.ones((2, 3)))
    with pytest.raises(UserError, match=r"shape \(2, 3\); it must be square"):
        sparse(scipy.sparse.csr_array(np.ones((2, 3))))
    with pytest.raises(UserError, match="entry nan"):
        sparse([[1.0, float("nan")], [0.0, 0.0]])
    with pytest.raises(UserError, match="entry inf"):
        sparse(scipy.sparse.csr_array([[float("inf")]]))
    with pytest.raises(UserError, match=r"shapes \(4, 2\) and \(4, 3\)"):
        low_rank(np.ones((4, 2)), np.ones((4, 3)))
    with pytest.raises(UserError, match="n = 4 has no sum with n = 3"):
        low_rank_plus_sparse(np.ones((4, 1)), np.ones((4, 1)), np.eye(3))
