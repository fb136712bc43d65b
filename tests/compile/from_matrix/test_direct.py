from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import torch
from matrix_members import TOLERANCE, error, kaleidoscope, shape

from bestiary.compile import compile_program
from bestiary.compile.from_matrix import matrix
from bestiary.compile.from_matrix.direct import direct_forms, direct_program
from bestiary.compile.program import Mode
from bestiary.errors import UserError
from bestiary.structured import Permutation
from bestiary.structured.transforms import circulant

MODES: tuple[Mode, ...] = ("causal", "circular")
RNG = np.random.default_rng(0)


def numbers(*size: int) -> np.ndarray:
    return RNG.normal(size=size)


def compiled(dense: np.ndarray, d: int, mode: Mode) -> tuple[int, int, int]:
    """The shape of the stack of a dense matrix, which is checked against it."""
    made = compile_program(direct_program(dense, d, mode))
    x = numbers(3, len(dense))
    expected = x @ dense.T
    with torch.no_grad():
        got = made.stack(torch.from_numpy(x.reshape(3, -1, d))).numpy().reshape(3, -1)
    assert np.abs(got - expected).max() <= TOLERANCE * np.abs(expected).max()
    return shape(made)


def test_a_circulant_is_one_layer_of_one_channel_in_a_ring() -> None:
    dense = scipy.linalg.circulant(numbers(16))
    assert compiled(dense, 1, "circular") == (1, 16, 1)
    assert compiled(dense, 1, "causal") == (1, 31, 1)


def test_a_toeplitz_matrix_is_one_layer_in_causal_mode() -> None:
    assert compiled(scipy.linalg.toeplitz(numbers(12), numbers(12)), 1, "causal") == (1, 23, 1)
    lower = scipy.linalg.toeplitz(numbers(12), np.zeros(12))
    assert compiled(lower, 1, "causal") == (1, 12, 1)
    assert compiled(np.zeros((4, 4)), 2, "causal")[0] == 1


@pytest.mark.parametrize("mode", MODES)
def test_filters_between_channels_take_three_layers(mode: Mode) -> None:
    dense = scipy.linalg.circulant(numbers(16))
    assert compiled(dense, 2, mode) == (3, 8 if mode == "circular" else 15, 4)


@pytest.mark.parametrize("mode", MODES)
def test_one_map_for_all_rows_is_one_layer(mode: Mode) -> None:
    assert compiled(np.kron(np.eye(5), numbers(3, 3)), 3, mode) == (1, 5, 3)


@pytest.mark.parametrize("mode", MODES)
def test_a_permutation_inside_of_rows_is_one_layer(mode: Mode) -> None:
    source = np.arange(24).reshape(6, 4)[:, [2, 0, 3, 1]].ravel()
    member = Permutation(torch.from_numpy(source), torch.float64)
    made = matrix(member, 4, mode, method="direct")
    assert shape(made) == (1, 6, 4)
    assert error(made, member) == 0


@pytest.mark.parametrize("mode", MODES)
def test_a_banded_matrix_takes_a_channel_a_diagonal(mode: Mode) -> None:
    band = np.diag(numbers(9)) + np.diag(numbers(8), 1) + np.diag(numbers(7), -2)
    layers, rows, width = compiled(band, 1, mode)
    assert (layers, width) == (3, 3)
    assert rows <= 10


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("d", "rank", "layers"), [(1, 1, 2), (1, 3, 3), (4, 1, 3), (4, 2, 4)])
def test_a_low_rank_matrix_takes_channels_by_rank(
    d: int, rank: int, layers: int, mode: Mode
) -> None:
    dense = numbers(64, rank) @ numbers(rank, 64)
    found = compiled(dense, d, mode)
    assert found[0] <= layers
    assert found[2] == rank * d
    assert direct_forms(dense, d, mode)[0].name == f"rank {rank}"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("n", "d"), [(8, 1), (4, 3), (1, 6)])
def test_every_matrix_has_a_form_of_three_layers(n: int, d: int, mode: Mode) -> None:
    assert compiled(numbers(n * d, n * d), d, mode)[0] <= 3


def test_members_compiled_from_transforms_are_recognised_in_spite_of_rounding() -> None:
    member = circulant(numbers(32))
    made = matrix(member, 1, "circular", method="direct")
    # Its twiddles are complex, so that numbers come in pairs.
    assert shape(made) == (1, 32, 2)
    assert error(made, member) <= TOLERANCE
    plain = kaleidoscope(16, 1)
    assert error(matrix(plain, 2, method="direct"), plain) <= TOLERANCE


def test_a_matrix_that_does_not_fit_is_refused_with_its_shape() -> None:
    with pytest.raises(UserError, match=r"shape \(6, 6\) has no blocks of d = 4"):
        direct_program(np.eye(6), 4)
    with pytest.raises(UserError, match=r"shape \(6, 5\)"):
        direct_program(np.ones((6, 5)), 1)
