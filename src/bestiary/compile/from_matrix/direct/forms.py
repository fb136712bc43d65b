"""The choice among direct forms: the fewest channels over all layers."""

from __future__ import annotations

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


def direct_forms(
    dense: Any, d: int, mode: Mode = "causal", widest: int | None = None
) -> list[Form]:
    """The forms that a real dense (n·d, n·d) matrix has, the cheapest first.

    widest: leave out those of more channels, most without being made; then there may be none. A
    rank is looked for only where it could be the cheapest form.
    """
    matrix = BlockMatrix(np.asarray(dense, dtype=np.float64), d, mode)
    most = 2 * len(matrix.dense) * d if widest is None else widest
    found: list[Form] = []
    for find in (block_toeplitz, row_map, shifts):
        form = find(matrix)
        if form is not None and form.width <= most:
            found.append(form)
            if form.layers == 1:
                return [form, *found[:-1]]
    # The form of rank r has 2 layers or more of r·d channels.
    least = min((form.cost for form in found), default=2 * most)
    form = low_rank(matrix, min(most // d, least // (2 * d)))
    return sorted([*found, *([] if form is None else [form])], key=lambda form: form.cost)


def direct_program(
    dense: Any, d: int, mode: Mode = "causal", name: str = "matrix", widest: int | None = None
) -> Program:
    """The cheapest one as a program on n rows of d channels, in a ring of n where circular.

    ``UserError`` for a matrix that is not square or whose size d does not divide, and where every
    form takes more than ``widest`` channels.
    """
    forms = direct_forms(dense, d, mode, widest)
    if not forms:
        raise UserError(f"{name} takes more than the {widest} channels that are asked directly")
    x = input_array("x", d)
    rows = len(dense) // d
    ring = rows if mode == "circular" else None
    output = forms[0].apply(x)
    return Program((x,), output, rows, mode=mode, ring=ring, name=f"{name}: {forms[0].name}")
