"""Matrices of low rank r, Σ left ⊗ right: weigh by right, sum over all rows, weigh by left.

Three layers and r channels for d = 1 (two for r = 1); four and r·d for larger d, where channels are
summed before they are weighed again. A filter of ones makes a sum over rows appear in every row.
"""

from __future__ import annotations

import numpy as np

from bestiary.compile.expression import Value, concat, conv, linear, row_scale
from bestiary.compile.from_matrix.direct.form import BlockMatrix, Form
from bestiary.compile.rows import Rows
from bestiary.compile.taps import Taps

LARGEST = 2048
"""Singular values are taken of matrices up to this size."""


def low_rank(matrix: BlockMatrix) -> Form | None:
    """The form, or None where the matrix is larger than ``LARGEST`` or has more than n/2 terms."""
    if len(matrix.dense) > LARGEST:
        return None
    left, values, right = np.linalg.svd(matrix.dense)
    rank = int((values > 1e-14 * len(values) * values[:1].max(initial=0)).sum())
    n, d = matrix.rows, matrix.d
    if not rank or 2 * rank > len(values):
        return None
    # (n, rank · d), term by term.
    weighed = (values[:rank, None] * right[:rank]).reshape(rank, n, d)
    before = weighed.transpose(1, 0, 2).reshape(n, rank * d)
    after = left[:, :rank].reshape(n, d, rank).transpose(0, 2, 1).reshape(n, rank * d)
    ones = Taps.of(np.ones(len(matrix.offsets)), matrix.offsets[0])
    within = np.kron(np.eye(rank), np.ones((d, d)))
    over = np.kron(np.ones((rank, 1)), np.eye(d))

    def apply(x: Value) -> Value:
        copies = row_scale(concat([x] * rank), Rows.of(before), "weighed")
        sums = conv(ones, copies, "summed over rows")
        sums = sums if d == 1 else linear(sums, within, name="summed over channels")
        terms = row_scale(sums, Rows.of(after), "weighed again")
        return terms if rank == 1 else linear(terms, over, name="terms summed")

    layers = 2 + (d > 1) + (rank > 1)
    return Form(f"rank {rank}", layers, rank * d, apply)
