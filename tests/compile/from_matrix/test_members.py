from __future__ import annotations

import numpy as np
import pytest
import torch
from matrix_members import TOLERANCE, error, shape

from bestiary.compile.from_matrix import matrix
from bestiary.compile.program import Mode
from bestiary.errors import UserError
from bestiary.structured import Diagonal, Permutation, StructuredMatrix
from bestiary.structured.block_diagonal import BlockDiagonal
from bestiary.structured.monarch import Monarch
from bestiary.structured.transforms import TRANSFORMS

MODES: tuple[Mode, ...] = ("causal", "circular")
GENERATOR = torch.Generator().manual_seed(0)


def drawn(*size: int) -> torch.Tensor:
    return torch.randn(*size, dtype=torch.float64, generator=GENERATOR)


@pytest.mark.parametrize("name", sorted(TRANSFORMS))
def test_every_named_transform_is_compiled(name: str) -> None:
    transform = TRANSFORMS[name]
    member = transform.make(transform.size(8))
    d = 2 if member.n % 2 == 0 else 1
    made = matrix(member, d, "circular")
    assert error(made, member) <= TOLERANCE
    # The reference is numpy's or scipy's; real transforms may have complex factors.
    dense = np.asarray(transform.reference(member.n))
    x = np.random.default_rng(0).normal(size=member.n)
    given = np.stack([x, 0 * x], 1).ravel() if member.is_complex else x
    with torch.no_grad():
        got = made.stack(torch.from_numpy(given.reshape(1, member.n // d, -1))).numpy().ravel()
    got = got[::2] + 1j * got[1::2] if member.is_complex else got
    assert np.abs(got - dense @ x).max() <= TOLERANCE * max(1, np.abs(dense @ x).max())


@pytest.mark.parametrize("mode", MODES)
def test_a_monarch_matrix_of_blocks_as_wide_as_a_row_takes_four_layers(mode: Mode) -> None:
    member = Monarch(drawn(8, 8, 8), drawn(8, 8, 8))
    made = matrix(member, 8, mode, radix=8)
    assert shape(made) == (4, 8 if mode == "circular" else 15, 64)
    assert error(made, member) <= TOLERANCE


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("d", [1, 4, 32])
def test_other_types_and_their_products_are_compiled(d: int, mode: Mode) -> None:
    shuffled = Permutation(torch.randperm(32, generator=GENERATOR), torch.float64)
    monarch = Monarch(drawn(8, 4, 4), drawn(4, 8, 8))
    members: list[StructuredMatrix] = [
        shuffled,
        Diagonal(drawn(32)),
        BlockDiagonal(drawn(8, 4, 4)),
        monarch,
        monarch.transpose(),
        Diagonal(drawn(32)) @ shuffled @ BlockDiagonal(drawn(16, 2, 2)),
    ]
    for member in members:
        assert error(matrix(member, d, mode), member) <= TOLERANCE


def test_blocks_of_other_sizes_are_refused() -> None:
    with pytest.raises(UserError, match="blocks of size 3"):
        matrix(BlockDiagonal(drawn(4, 3, 3)), 1)
