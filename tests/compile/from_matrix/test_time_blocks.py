from __future__ import annotations

import pytest
import torch
from matrix_members import TOLERANCE, butterfly, error, factor, kaleidoscope, shape

from bestiary.compile.from_matrix import matrix
from bestiary.compile.program import Mode
from bestiary.errors import UserError
from bestiary.structured import StructuredMatrix

MODES: tuple[Mode, ...] = ("causal", "circular")
SHAPES = [(16, 4), (64, 1), (8, 8), (1, 16), (2, 1), (2, 4)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("n", "d"), SHAPES)
def test_blocks_of_rows_take_two_layers_a_factor_at_the_width_of_the_input(
    n: int, d: int, mode: Mode
) -> None:
    for adjoint in (False, True):
        member = butterfly(n * d, adjoint=adjoint)
        made = matrix(member, d, mode, method="blocks")
        layers, rows, width = shape(made)
        factors = (n * d).bit_length() - 1
        assert layers <= 2 * factors + 1
        assert width == d
        assert rows <= (4 * n if mode == "circular" else max(4, 1.5 * factors + 2.5) * n)
        assert error(made, member) <= TOLERANCE


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("m", "d"), [(16, 4), (64, 1), (2, 2)])
@pytest.mark.parametrize("w", [1, 2])
def test_kaleidoscopes_in_blocks_need_no_more_than_five_times_their_rows_in_a_ring(
    m: int, d: int, w: int, mode: Mode
) -> None:
    member = kaleidoscope(m * d, w)
    made = matrix(member, d, mode, method="blocks")
    assert made.stack.width == d
    if mode == "circular":
        assert shape(made)[1] <= 5 * m
    assert error(made, member) <= TOLERANCE


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("n", "d"), SHAPES)
def test_moving_index_bits_needs_twice_the_rows_in_a_ring(n: int, d: int, mode: Mode) -> None:
    for adjoint in (False, True):
        member = butterfly(n * d, adjoint=adjoint)
        made = matrix(member, d, mode, method="bits")
        layers, rows, width = shape(made)
        log_n, log_d = n.bit_length() - 1, d.bit_length() - 1
        # Every index bit is brought home by a layer of its own.
        assert layers <= 3 * log_n + 2 * log_d
        assert width == d
        assert rows <= (2 * n if mode == "circular" else (log_d + 3) * n)
        assert error(made, member) <= TOLERANCE


@pytest.mark.parametrize("w", [1, 2, 3])
def test_a_kaleidoscope_brings_most_index_bits_home_by_itself(w: int) -> None:
    # (16, 4): two layers a level, 2w(4 + 2) levels less the 2w − 1 merged ones.
    member = kaleidoscope(64, w)
    for mode in MODES:
        made = matrix(member, 4, mode, method="bits")
        layers, rows, width = shape(made)
        assert layers <= 2 * (12 * w - (2 * w - 1)) + 3 * w
        assert width == 4
        assert rows <= (32 if mode == "circular" else 16 * (2 * w + 3))
        assert error(made, member) <= TOLERANCE


@pytest.mark.parametrize("method", ["blocks", "bits"])
@pytest.mark.parametrize("k", [2, 8, 64])
def test_a_factor_alone_takes_three_layers_at_most(k: int, method: str) -> None:
    made = matrix(factor(64, k), 4, method=method)
    assert shape(made)[0] <= 3
    assert made.stack.width == 4
    assert error(made, factor(64, k)) <= TOLERANCE


@pytest.mark.parametrize("method", ["blocks", "bits"])
@pytest.mark.parametrize("mode", MODES)
def test_corners_and_diagonals_keep_their_meaning(method: str, mode: Mode) -> None:
    from bestiary.structured import Diagonal

    diagonal = Diagonal(torch.linspace(1, 2, 24, dtype=torch.float64))
    members: list[StructuredMatrix] = [kaleidoscope(32, 1, 24), diagonal @ kaleidoscope(32, 1, 24)]
    for member in members:
        assert error(matrix(member, 2, mode, method=method), member) <= TOLERANCE


@pytest.mark.parametrize("method", ["blocks", "bits"])
def test_what_has_no_form_at_the_width_of_the_input_is_refused(method: str) -> None:
    with pytest.raises(UserError, match="complex"):
        matrix(butterfly(8, dtype=torch.complex128), 1, method=method)
    with pytest.raises(UserError, match="radix 2"):
        matrix(butterfly(8), 1, method=method, radix=4)
