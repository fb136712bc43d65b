"""Products of butterflies as dense matrices, written entry by entry from the definition."""

from __future__ import annotations

import torch


def factor_matrix(packed, k):
    """The n×n matrix of one factor of size k from its (2, 2, n/2) diagonals."""
    n = 2 * packed.shape[-1]
    matrix = torch.zeros(n, n, dtype=packed.dtype)
    for block in range(n // k):
        for p in range(k // 2):
            for i in range(2):
                for j in range(2):
                    row, column = block * k + i * k // 2 + p, block * k + j * k // 2 + p
                    matrix[row, column] = packed[i, j, block * k // 2 + p]
    return matrix


def product_matrix(twiddle, orders):
    """The product, as written, of twiddles (m, L, 2, 2, n/2)."""
    levels = twiddle.shape[1]
    product = torch.eye(2 * twiddle.shape[-1], dtype=twiddle.dtype)
    for butterfly, order in enumerate(orders):
        for place in range(levels):
            k = 2 ** (levels - place if order == "falling" else place + 1)
            product = product @ factor_matrix(twiddle[butterfly, place], k)
    return product


def random_twiddle(n, orders, stack=(), dtype=torch.float64, seed=0):
    """Entries of variance 1/2, so that magnitudes are kept on average."""
    generator = torch.Generator().manual_seed(seed)
    shape = (*stack, len(orders), n.bit_length() - 1, 2, 2, n // 2)
    return torch.randn(shape, dtype=dtype, generator=generator) / 2**0.5
