"""The structure of a matrix is found again, the cheapest where there are several."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.fft
import scipy.linalg
import torch
from butterfly_oracle import random_butterfly, random_kaleidoscope

from bestiary.errors import UserError
from bestiary.structured.recognition import recognise

RANDOM = np.random.default_rng(0)
N = 16


def low_rank(rank):
    return RANDOM.standard_normal((N, rank)) @ RANDOM.standard_normal((rank, N))


def sparse(nonzeros):
    matrix = np.zeros(N * N)
    matrix[RANDOM.permutation(N * N)[:nonzeros]] = RANDOM.uniform(1, 2, nonzeros)
    return matrix.reshape(N, N)


def monarch(p):
    q = N // p
    left, right = RANDOM.standard_normal((q, p, p)), RANDOM.standard_normal((p, q, q))
    return np.einsum("jlk,kji->ljki", left, right).reshape(N, N)


ONE_A_ROW = np.eye(N)[RANDOM.integers(0, N, N)] * RANDOM.uniform(1, 2, (N, 1))
MATRICES = [
    ("diagonal", "", np.diag(RANDOM.standard_normal(N)), N),
    ("permutation", "", np.eye(N)[RANDOM.permutation(N)], 0),
    ("selection", "one entry a row", ONE_A_ROW, N),
    ("selection", "one entry a column", ONE_A_ROW.T, N),
    ("circulant", "", scipy.linalg.circulant(RANDOM.standard_normal(N)), N),
    ("anticirculant", "", scipy.linalg.circulant(RANDOM.standard_normal(N))[:, ::-1], N),
    ("toeplitz", "", scipy.linalg.toeplitz(*RANDOM.standard_normal((2, N))), 2 * N - 1),
    ("hankel", "", scipy.linalg.hankel(*RANDOM.standard_normal((2, N))), 2 * N - 1),
    ("transform", "dft", np.fft.fft(np.eye(N)), 0),
    ("transform", "dft times 0.25", np.fft.fft(np.eye(N), norm="ortho"), 1),
    ("transform", "dct-2 with scaled rows", scipy.fft.dct(np.eye(N), axis=0, norm="ortho"), N),
    ("transform", "hadamard", scipy.linalg.hadamard(N), 0),
    ("kronecker", "4 ⊗ 4", np.kron(*RANDOM.standard_normal((2, 4, 4))), 32),
    ("butterfly", "B", random_butterfly(N).dense().numpy(), 128),
    ("butterfly", "B*", random_butterfly(N, adjoint=True).dense().numpy(), 128),
    ("butterfly", "B after a bit reversal", np.fft.fft(np.eye(N)) * RANDOM.uniform(1, 2, N), 128),
    ("kaleidoscope", "BB*", random_kaleidoscope(N, 1, torch.complex128).dense().numpy(), 256),
    ("low-rank", "rank 2", low_rank(2), 64),
    ("sparse", "30 non-zeros", sparse(30), 60),
    ("monarch", "p = 4, q = 4", monarch(4), 128),
]


@pytest.mark.parametrize("size", [1e-285, 1e-200, 1e-30, 1e30, 1e200, 1e285])
@pytest.mark.parametrize(("kind", "detail", "matrix", "numbers"), MATRICES)
def test_structures_are_found_at_any_size(kind, detail, matrix, numbers, size):
    found = recognise(matrix * size)
    # A permutation has ones; times a number it is a selection.
    assert found.kind == ("selection" if kind == "permutation" else kind)
    assert found.residual <= 1e-10
    assert found.matrix is not None
    error = np.abs(found.matrix.dense().numpy() / size - matrix).max()
    assert error <= 1e-10 * np.abs(matrix).max()


def test_one_tiny_entry_is_not_taken_for_zero():
    matrix = np.zeros((4, 4))
    matrix[1, 2] = 1e-320
    found = recognise(matrix)
    assert found.kind == "selection"
    assert np.array_equal(found.matrix.dense().numpy(), matrix)


@pytest.mark.parametrize("size", [1e-320, 1e-295, 1e295, 5e307])
@pytest.mark.filterwarnings("error")
def test_ranks_are_not_told_where_products_are_no_numbers(size):
    matrix = low_rank(3) / 64 * size
    with pytest.raises(UserError, match="so scale it") as caught:
        recognise(matrix)
    assert f"{np.abs(matrix).max():.2g}" in str(caught.value)
    assert recognise(low_rank(3)).kind == "low-rank"


@pytest.mark.parametrize(
    ("kind", "detail", "matrix", "numbers"), MATRICES, ids=[f"{m[0]} {m[1]}" for m in MATRICES]
)
def test_a_structure_is_recognised_and_its_member_is_the_matrix(kind, detail, matrix, numbers):
    found = recognise(matrix)
    assert (found.kind, found.detail, found.parameters) == (kind, detail, numbers)
    dense = torch.from_numpy(np.array(matrix)).to(torch.complex128)
    error = (found.matrix.dense().to(torch.complex128) - dense).norm() / dense.norm()
    assert error <= 1e-10 and found.residual <= 1e-10


@pytest.mark.parametrize("n", [1, 3, 12])
def test_sizes_that_are_no_power_of_two_are_recognised_too(n):
    assert recognise(np.eye(n)).kind == "permutation"
    assert recognise(np.fft.fft(np.eye(12))).detail == "chirp-dft"
    assert recognise(np.kron(np.ones((3, 3)) + np.eye(3), RANDOM.standard_normal((4, 4)))).kind == (
        "kronecker"
    )


def test_a_matrix_without_structure_is_none_with_the_nearest_and_its_residual():
    found = recognise(RANDOM.standard_normal((N, N)))
    assert found.kind == "none" and found.matrix is None
    assert found.residual == min(candidate.residual for candidate in found.tried) > 0.1
    assert str(found).startswith("no structure within 1e-10; nearest is ")


def test_noise_beyond_the_tolerance_is_said_with_its_size():
    clean = scipy.linalg.toeplitz(np.arange(1.0, N + 1))
    noise = 1e-6 * RANDOM.standard_normal((N, N))
    found = recognise(clean + noise)
    assert found.kind == "none"
    nearest = {candidate.kind: candidate.residual for candidate in reversed(found.tried)}
    # The mean along diagonals removes 2n − 1 of the n² components of the noise.
    size = np.linalg.norm(noise) / np.linalg.norm(clean)
    assert 0.7 * size < nearest["toeplitz"] < size
    assert recognise(clean + noise, tolerance=1e-5).kind == "toeplitz"


def test_single_precision_is_given_its_rounding():
    column = RANDOM.standard_normal(N).astype(np.float32)
    rounded = scipy.linalg.circulant(column) * np.float32(1 / 3)
    assert recognise(rounded).kind == "circulant"
    assert recognise(np.fft.fft(np.eye(N)).astype(np.complex64)).kind == "transform"


def test_zeros_are_a_diagonal():
    found = recognise(np.zeros((4, 4)))
    assert found.kind == "diagonal" and found.residual == 0


def test_what_is_no_matrix_is_refused():
    with pytest.raises(UserError, match=r"shape \(2, 3\); it must be square"):
        recognise(np.ones((2, 3)))
    with pytest.raises(UserError, match=r"entry inf at \(0, 1\)"):
        recognise([[0.0, float("inf")], [0.0, 0.0]])
    with pytest.raises(UserError, match="tolerance 2 is not between 0 and 1"):
        recognise(np.eye(2), tolerance=2)


def test_what_takes_no_numbers_or_one_is_said_so():
    assert str(recognise(np.eye(4)[[2, 0, 3, 1]])).startswith("permutation, residual ")
    assert str(recognise(np.fft.fft(np.eye(4)) * 3)).startswith(
        "transform (dft times 3) of 1 number,"
    )
