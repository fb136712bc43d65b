"""The same d × d matrix in every row, a permutation inside of rows for one: W alone, one layer."""

from __future__ import annotations

import numpy as np

from bestiary.compile.expression import linear
from bestiary.compile.from_matrix.direct.form import BlockMatrix, Form


def row_map(matrix: BlockMatrix) -> Form | None:
    """The form, or None where rows are mixed or differ."""
    own = matrix.present(0)
    if np.abs(own - own[:1]).max() > matrix.rounding:
        return None
    if np.delete(matrix.largest, matrix.offsets.index(0), axis=0).max(initial=0) > matrix.rounding:
        return None
    weight = own[0].T
    return Form("one map for all rows", 1, matrix.d, lambda x: linear(x, weight, name="mapped"))
