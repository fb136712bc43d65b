"""Matrices of numbers as linear circuits: the product, exactly, and one layer when compiled."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from bestiary.circuits import evaluate, evaluate_batch, from_matrix
from bestiary.compile import compile_circuit
from bestiary.errors import UserError

MATRICES = arrays.arrays(np.int64, arrays.array_shapes(min_dims=2, max_dims=2, max_side=6),
                         elements=st.integers(-2, 2))  # fmt: skip


@settings(deadline=None)
@given(MATRICES, st.integers(0, 2**32 - 1))
def test_a_matrix_of_whole_numbers_gives_the_exact_product(matrix, seed):
    row = np.random.default_rng(seed).integers(-9, 10, matrix.shape[1])
    made = from_matrix(matrix)
    assert made.linear
    assert evaluate(made, row.tolist()) == (matrix @ row).tolist()


def test_floats_complex_numbers_and_fractions_are_kept():
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((5, 7)) + 1j * rng.standard_normal((5, 7))
    batch = rng.standard_normal((4, 7))
    assert np.allclose(evaluate_batch(from_matrix(matrix), batch), batch @ matrix.T)
    assert evaluate(from_matrix([[Fraction(1, 3), 2]]), [1, 1]) == [Fraction(7, 3)]


def test_whole_numbers_of_a_list_stay_exact_beside_floats_and_beyond_64_bits():
    assert evaluate(from_matrix([[2**63 + 1, -1]]), [1, 0]) == [2**63 + 1]
    assert evaluate(from_matrix([[2**53 + 1, 0], [0, 0.5]]), [1, 2]) == [2**53 + 1, 1.0]


def test_it_compiles_to_one_layer():
    matrix = np.arange(12.0).reshape(3, 4)
    stack = compile_circuit(from_matrix(matrix)).stack
    assert len(stack.layers) == 1
    row = torch.tensor([[[1.0, -2.0, 3.0, 5.0]]], dtype=torch.float64)
    assert stack(row).ravel().tolist() == (matrix @ row.numpy().ravel()).tolist()


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (np.ones(3), r"shape \(3,\) is no matrix"),
        (sparse.eye_array(3), r"a dia_array is no array of numbers; .* toarray\(\)"),
        (None, "a NoneType is no array of numbers"),
        (torch.eye(2, requires_grad=True), "a Tensor is no array of numbers: .*requires grad"),
        (np.zeros((1, 1), dtype=[("a", int)]), r"a matrix of type .* numbers are needed"),
        (np.ones((2, 0)), r"shape \(2, 0\) is no matrix"),
        ([[1, 2], [3]], "rows of different lengths"),
        ([[1, np.nan]], r"the entry \[0, 1\] is nan|finite"),
        (np.ma.array([[1, 2]], mask=[[0, 1]]), r"a matrix has masked entries; .* filled\(0\)"),
        (np.str_("a"), "a str_ is no array of numbers"),
        ([["a", "b"]], r"the entry \[0, 0\] is 'a'|number is needed"),
    ],
)
def test_what_is_no_matrix_of_numbers_is_refused(matrix, words):
    with pytest.raises(UserError, match=words):
        from_matrix(matrix)
