"""Fit a Monarch matrix to a dense one.

Dao et al., "Monarch", 2022, section 3.2 and theorem 1: seen as p × q arrays on both sides, every
block of a Monarch matrix has rank one, and the best blocks of rank one are independent.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from bestiary.errors import UserError
from bestiary.structured.fitting.fit import Fit, residual_of
from bestiary.structured.monarch import Monarch
from bestiary.structured.transforms.arguments import square


def fit_monarch(matrix: Any, rows: int | None = None) -> Fit[Monarch]:
    """The Monarch matrix nearest to an n×n matrix in Frobenius norm, n = p·q.

    ``rows`` is p, the largest divisor of n up to √n unless given. Raises ``UserError`` for a
    matrix that is not square or not finite, and rows that do not divide n.
    """
    dense = square(matrix, "the matrix to fit a Monarch matrix to")
    n = len(dense)
    p = balanced_divisor(n) if rows is None else rows
    if p < 1 or n % p:
        raise UserError(f"{p} rows do not divide n = {n}, as a Monarch matrix of p·q needs")
    q = n // p
    blocks = dense.reshape(p, q, p, q).permute(1, 2, 0, 3)
    u, s, vh = torch.linalg.svd(blocks, full_matrices=False)
    root = s[..., :1].sqrt()
    left = (u[..., 0] * root).permute(0, 2, 1)
    right = (vh[..., 0, :] * root).permute(1, 0, 2)
    fitted = Monarch(left.contiguous(), right.contiguous())
    return Fit(fitted, residual_of(dense, fitted.dense()))


def balanced_divisor(n: int) -> int:
    """The largest divisor of n that is at most √n."""
    return next(p for p in range(math.isqrt(n), 0, -1) if n % p == 0)
