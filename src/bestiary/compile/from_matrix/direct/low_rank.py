"""Matrices of low rank r, Σ left ⊗ right: weigh by right, sum over all rows, weigh by left.

Three layers and r channels for d = 1 (two for r = 1); four and r·d for larger d, where channels are
summed before they are weighed again. A filter of ones makes a sum over rows appear in every row.
Any matrix has this form for d = 1, as 1 · matrix where its rank is full; for larger d, up to half.
"""

from __future__ import annotations

import numpy as np

from bestiary.compile.expression import Value, concat, conv, linear, row_scale
from bestiary.compile.from_matrix.direct.form import TOLERANCE, Array, BlockMatrix, Form
from bestiary.compile.rows import Rows
from bestiary.compile.taps import Taps

SPARE = 8
"""Random vectors beyond the rank that is looked for, which make missing a direction unlikely."""


def low_rank(matrix: BlockMatrix, most: int) -> Form | None:
    """The form, or None where it would have more than ``most`` terms."""
    size = len(matrix.dense)
    factors = _factors(matrix.dense, min(most, size if matrix.d == 1 else size // 2))
    if factors is None or not factors[0].shape[1]:
        return None
    left, right = factors
    rank = left.shape[1]
    n, d = matrix.rows, matrix.d
    # (n, rank · d), term by term.
    before = right.reshape(rank, n, d).transpose(1, 0, 2).reshape(n, rank * d)
    after = left.reshape(n, d, rank).transpose(0, 2, 1).reshape(n, rank * d)
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


def _factors(dense: Array, most: int) -> tuple[Array, Array] | None:
    """left (size, r) and right (r, size) of the least r, where that is at most ``most``.

    The image of a few random vectors spans that of a matrix of low rank (Halko, Martinsson and
    Tropp 2011), so that most matrices are told without all their singular values.
    """
    size = len(dense)
    if 4 * most <= size:
        drawn = np.random.default_rng(0).normal(size=(size, min(size, most + SPARE)))
        basis = np.linalg.qr(dense @ drawn)[0]
        inside = basis.T @ dense
        largest = np.abs(dense).max(initial=0)
        if np.abs(dense - basis @ inside).max(initial=0) > TOLERANCE * size * largest:
            return None
        left, values, right = np.linalg.svd(inside, full_matrices=False)
        left = basis @ left
    else:
        left, values, right = np.linalg.svd(dense)
    rank = int((values > 1e-14 * size * values[:1].max(initial=0)).sum())
    if rank == size:
        left, values, right = np.eye(size), np.ones(size), dense
    if rank > most:
        return None
    return left[:, :rank], values[:rank, None] * right[:rank]
