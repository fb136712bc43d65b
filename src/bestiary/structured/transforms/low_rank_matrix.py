"""Matrices of low rank, and those plus a sparse one, in (BB*)^{O(r + ⌈s/n⌉)}_4.

One member of BB* of size 4m adds two products u·vᵀ·x to the sums: copies of x are weighed with v,
the factors of sizes m, …, 2 sum all entries of a copy into each, and u weighs what comes out.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from bestiary.errors import UserError
from bestiary.structured.butterfly import Butterfly, falling_sizes
from bestiary.structured.butterfly_factor import ButterflyFactor
from bestiary.structured.kaleidoscope import Kaleidoscope
from bestiary.structured.transforms.arguments import holding, numbers
from bestiary.structured.transforms.chain import product
from bestiary.structured.transforms.pairs import pair_factor
from bestiary.structured.transforms.sparse_matrix import entries_of, sums


def low_rank(left: Any, right: Any) -> Kaleidoscope:
    """left · rightᵀ for left and right (n, r), in (BB*)^⌈r/2⌉_4; any n.

    Raises ``UserError`` for shapes that differ and entries that are not finite.
    """
    u, v = _factors(left, right)
    steps = _rank_steps(u, v, holding(len(u)))
    return Kaleidoscope(product(*reversed(steps)).butterflies, len(u))


def low_rank_plus_sparse(left: Any, right: Any, sparse: Any) -> Kaleidoscope:
    """left · rightᵀ + sparse, in (BB*)^w_4; any n.

    With m the power of two that holds n and s non-zeros, w = ⌈r/2⌉ + 3·max(1, ⌈(s − m)/2m⌉).
    """
    u, v = _factors(left, right)
    rows, columns, values, n = entries_of(sparse)
    if n != len(u):
        raise UserError(f"a matrix of rank {u.shape[1]} with n = {len(u)} has no sum with n = {n}")
    base = holding(n)
    steps = _rank_steps(u, v, base) + sums((rows, columns, values), base, reads_corner=False)
    return Kaleidoscope(product(*reversed(steps)).butterflies, n)


def low_rank_width(rank: int) -> int:
    """The width of ``low_rank``."""
    return -(-rank // 2)


def low_rank_plus_sparse_width(rank: int, nonzeros: int, n: int) -> int:
    """The width of ``low_rank_plus_sparse``."""
    base = holding(n)
    return low_rank_width(rank) + 3 * max(1, -(-(nonzeros - base) // (2 * base)))


def _factors(left: Any, right: Any) -> tuple[Tensor, Tensor]:
    u = numbers(left, "the left factor of a low-rank matrix", 2)
    v = numbers(right, "the right factor of a low-rank matrix", 2)
    if u.shape != v.shape:
        raise UserError(
            f"the factors of a low-rank matrix have shapes {tuple(u.shape)} and {tuple(v.shape)}; "
            "both must be (n, rank)"
        )
    dtype = torch.promote_types(u.dtype, v.dtype)
    return u.to(dtype), v.to(dtype)


def _rank_steps(u: Tensor, v: Tensor, base: int) -> list[Kaleidoscope]:
    """Steps of size 4·base, first one first, that add two products u·vᵀ·x to the sums each.

    The first one finds x in the corner; all leave the sums there and x in the block after it.
    """
    n, rank = u.shape
    padded = torch.zeros(2, 2 * low_rank_width(rank), base, dtype=u.dtype)
    padded[0, :rank, :n], padded[1, :rank, :n] = u.T, v.T
    return [
        _rank_two(padded[0, i : i + 2], padded[1, i : i + 2], first=i == 0)
        for i in range(0, padded.shape[1], 2)
    ]


def _rank_two(u: Tensor, v: Tensor, *, first: bool) -> Kaleidoscope:
    """One step; blocks of the vector are [sums, x, copy, copy], or [x, ·, ·, ·] in the first."""
    base = u.shape[1]
    size, dtype = 4 * base, u.dtype
    zero, one = torch.zeros(base, dtype=dtype), torch.ones(base, dtype=dtype)

    def outer(rows: tuple[Tensor, ...], entries: tuple[Tensor, ...]) -> list[list[Tensor]]:
        """Entries (i, j) of the pairs of the upper two blocks and of the lower two."""
        return [
            [torch.cat([rows[0], entries[0]]), torch.cat([rows[1], entries[1]])],
            [torch.cat([rows[2], entries[2]]), torch.cat([rows[3], entries[3]])],
        ]

    # Pairs of blocks (0, 2) and (1, 3): copy x; then (0, 1) and (2, 3): weigh both copies.
    if first:
        copied = outer((one, zero, one, zero), (zero, zero, zero, zero))
        weighed = outer((zero, zero, one, zero), (v[0], zero, v[1], zero))
    else:
        copied = outer((one, zero, zero, zero), (one, zero, one, zero))
        weighed = outer((one, zero, zero, one), (zero, v[0], zero, v[1]))
    # Afterwards (2, 3): weigh and add; (0, 2) and (1, 3): add to the sums and clear the copies.
    joined = outer((one, zero, zero, one), (u[0], u[1], zero, zero))
    added = outer((one, one, zero, zero), (one, zero, zero, zero))

    def factor(k: int, entries: list[list[Tensor]]) -> ButterflyFactor:
        return pair_factor(size, k, entries, dtype)

    # Within the copies every pair becomes its sum, twice; the blocks before them stay.
    every = torch.ones(size // 2, dtype=dtype)
    in_copy = (torch.arange(size // 2) >= base).to(dtype)
    summing = [factor(k, [[every, in_copy], [in_copy, every]]) for k in falling_sizes(base)]
    gathering = Butterfly([*reversed(summing), factor(2 * base, weighed), factor(size, copied)])
    identity = Butterfly.identity(base, dtype).embed(size).factors[2:]
    return Kaleidoscope(
        (Butterfly([factor(size, added), factor(2 * base, joined), *identity]), gathering)
    )
