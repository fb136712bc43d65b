"""Any matrix as row scales of shifts: a group of channels for each diagonal that is not 0.

y = Σ coefficients ⊙ (x moved by j rows and turned by r channels): three layers (copy; shift, with
the coefficients as gate; sum), or two where no row moves. Cheap for banded and block-banded ones.
"""

from __future__ import annotations

import numpy as np

from bestiary.compile.expression import Value, read, row_scale, shift, total
from bestiary.compile.from_matrix.direct.form import BlockMatrix, Form
from bestiary.compile.rows import Rows


def shifts(matrix: BlockMatrix) -> Form:
    """The form, which every matrix has."""
    c = np.arange(matrix.d)
    largest = matrix.largest[:, c, (c + np.arange(matrix.d)[:, None]) % matrix.d].max(axis=-1)
    places, turns = np.nonzero(largest > matrix.rounding)
    groups = [
        (matrix.offsets[place], turn)
        for place, turn in zip(places.tolist(), turns.tolist(), strict=True)
    ] or [(0, 0)]

    def apply(x: Value) -> Value:
        parts = []
        for offset, turn in groups:
            given = matrix.diagonal(offset)[:, c, (c + turn) % matrix.d]
            turned = x if turn == 0 else read(x, ((c + turn) % matrix.d).tolist())
            moved = turned if offset == 0 else shift(turned, offset)
            parts.append(row_scale(moved, Rows.of(given), f"{offset:+d} rows, {turn} channels"))
        return parts[0] if len(parts) == 1 else total(parts, "summed")

    if len(groups) == 1:
        layers = 1 + (groups[0][1] != 0)
    else:
        layers = 3 if any(offset for offset, _ in groups) else 2
    return Form("shifts and row scales", layers, matrix.d * len(groups), apply)
