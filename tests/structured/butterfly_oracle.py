"""Matrices written entry by entry from the definitions, and random members to try them on."""

from __future__ import annotations

import numpy as np
import torch

from bestiary.structured import Butterfly, ButterflyFactor, Kaleidoscope, falling_sizes


def factor_by_entries(n, k, twiddle):
    """B_k^(n) from its definition, in numpy, for one twiddle (n/k, 2, 2, k/2)."""
    twiddle = np.asarray(twiddle)
    matrix = np.zeros((n, n), dtype=twiddle.dtype)
    for row in range(n):
        for column in range(n):
            if row // k != column // k:
                continue
            i, p = divmod(row % k, k // 2)
            j, q = divmod(column % k, k // 2)
            if p == q:
                matrix[row, column] = twiddle[row // k, i, j, p]
    return matrix


def product_by_entries(factors):
    """The product of factors in written order."""
    matrix = np.eye(factors[0].n)
    for factor in factors:
        matrix = matrix @ factor_by_entries(factor.n, factor.k, factor.twiddle)
    return matrix


def random_factor(n, k, dtype=torch.float64, stack=(), seed=0):
    generator = torch.Generator().manual_seed(seed * 1009 + k)
    return ButterflyFactor(
        n, k, torch.randn(*stack, n // k, 2, 2, k // 2, dtype=dtype, generator=generator)
    )


def random_butterfly(n, dtype=torch.float64, *, adjoint=False, stack=(), seed=0):
    sizes = falling_sizes(n)[:: -1 if adjoint else 1]
    return Butterfly([random_factor(n, k, dtype, stack, seed) for k in sizes])


def random_kaleidoscope(size, width, dtype=torch.float64, *, n=None, stack=(), seed=0):
    return Kaleidoscope(
        [
            random_butterfly(size, dtype, adjoint=bool(i % 2), stack=stack, seed=seed + i)
            for i in range(2 * width)
        ],
        n,
    )
