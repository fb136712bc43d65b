"""The choice among direct forms: the fewest channels over all layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bestiary.compile.expression import input_array
from bestiary.compile.from_matrix.direct.block_toeplitz import block_toeplitz
from bestiary.compile.from_matrix.direct.form import BlockMatrix, Form
from bestiary.compile.from_matrix.direct.low_rank import low_rank
from bestiary.compile.from_matrix.direct.row_map import row_map
from bestiary.compile.from_matrix.direct.shifts import shifts
from bestiary.compile.program import Mode, Program
from bestiary.errors import UserError

FINDERS: tuple[Callable[[BlockMatrix], Form | None], ...] = (
    row_map,
    block_toeplitz,
    shifts,
    low_rank,
)


def direct_forms(dense: Any, d: int, mode: Mode = "causal") -> list[Form]:
    """The forms that a real dense (n·d, n·d) matrix has, the cheapest first."""
    matrix = BlockMatrix(np.asarray(dense, dtype=np.float64), d, mode)
    found = [form for find in FINDERS if (form := find(matrix)) is not None]
    return sorted(found, key=lambda form: form.layers * form.width)


def direct_program(
    dense: Any, d: int, mode: Mode = "causal", name: str = "matrix", widest: int | None = None
) -> Program:
    """The cheapest one as a program on n rows of d channels, in a ring of n where circular.

    ``UserError`` for a matrix that is not square or whose size d does not divide, and where the
    cheapest form takes more than ``widest`` channels.
    """
    form = direct_forms(dense, d, mode)[0]
    if widest is not None and form.width > widest:
        raise UserError(f"{name} takes {form.width} channels directly; at most {widest} are asked")
    x = input_array("x", d)
    rows = len(dense) // d
    ring = rows if mode == "circular" else None
    return Program((x,), form.apply(x), rows, mode=mode, ring=ring, name=f"{name}: {form.name}")
