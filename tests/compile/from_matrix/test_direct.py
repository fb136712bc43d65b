from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
import torch
from matrix_members import TOLERANCE, error, kaleidoscope, shape

from bestiary.compile import compile_program, interpret
from bestiary.compile.from_matrix import direct_matrix_program, matrix
from bestiary.compile.from_matrix.direct import direct_forms, direct_program, one_filter
from bestiary.compile.from_matrix.programs import NotLookedFor
from bestiary.compile.program import Mode
from bestiary.errors import UserError
from bestiary.structured import Butterfly, Permutation
from bestiary.structured.block_diagonal import BlockDiagonal
from bestiary.structured.transforms import circulant, hadamard, toeplitz

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


def stack_of(dense: np.ndarray, d: int, widest: int | None) -> tuple[int, int]:
    form = direct_forms(dense, d, "causal", widest)[0]
    return form.layers, form.width


@pytest.mark.parametrize("mode", MODES)
def test_any_matrix_is_n_terms_of_one_row_each(mode: Mode) -> None:
    dense = numbers(12, 12)
    assert compiled(dense, 1, mode)[::2] == (3, 12)
    assert compiled(dense, 12, mode) == (1, 1, 12)


def test_forms_wider_than_asked_are_left_out() -> None:
    rank_three = numbers(64, 3) @ numbers(3, 64)
    assert stack_of(rank_three, 1, None) == stack_of(rank_three, 1, 3) == (3, 3)
    assert direct_forms(rank_three, 1, "causal", 2) == []
    assert direct_forms(numbers(64, 64), 1, "causal", 16) == []
    with pytest.raises(UserError, match="takes more than the 16 channels"):
        direct_program(numbers(64, 64), 1, widest=16)


def test_a_low_rank_is_found_among_entries_of_very_different_size() -> None:
    small = np.outer(np.geomspace(1, 1e-8, 64), numbers(64)) + np.outer(numbers(64), numbers(64))
    assert stack_of(small, 1, 8) == (3, 2)
    assert compiled(small, 1, "causal")[2] == 2


@pytest.mark.parametrize(("name", "made"), [("circulant", circulant), ("toeplitz", toeplitz)])
def test_one_filter_is_told_at_any_size_without_dense_entries(name: str, made: Any) -> None:
    n = 1 << 13
    member = made(numbers(n))
    program = one_filter(member)
    assert program is not None
    x = numbers(n)
    got = interpret(program, x[:, None])[:, 0]
    column = member.apply(torch.eye(1, n, dtype=torch.float64)[0]).real.numpy()
    across = np.roll(column[::-1], 1) if name == "circulant" else column
    expected = scipy.linalg.matmul_toeplitz((column, across), x)
    assert np.abs(got - expected).max() <= 1e-11 * np.abs(expected).max()
    assert (one_filter(member, "circular") is not None) == (name == "circulant")


def test_a_single_entry_that_differs_makes_it_no_filter() -> None:
    dense = scipy.linalg.toeplitz(numbers(32), numbers(32))
    assert one_filter(BlockDiagonal(torch.from_numpy(dense)[None])) is not None
    dense[20, 11] += 1e-9
    assert one_filter(BlockDiagonal(torch.from_numpy(dense)[None])) is None


def test_direct_forms_of_float32_members_are_computed_in_float64() -> None:
    twiddle = torch.randn(4, 2, 2, 8, generator=torch.Generator().manual_seed(0))
    member = Butterfly.from_packed(twiddle)
    made = matrix(member, 1, method="direct")
    assert error(made, member.to(torch.float64)) <= TOLERANCE


def test_too_many_rows_are_refused_with_how_many_are_looked_at() -> None:
    with pytest.raises(NotLookedFor, match=r"has 8192 rows of real numbers; .* up to 4096"):
        direct_matrix_program(hadamard(8192))
