"""Any sparse matrix with s non-zeros, in (BB*)^w_e with w = O(⌈s/n⌉) and e ≤ 4.

A matrix with at most as many non-zeros as rows is Vᵀ·D·P·U: U copies the entries that are read
once for each non-zero (in BB*, ``fan_out``), P brings each copy to where it is needed, D weighs
it, and Vᵀ, the transpose of a fan-out, adds up. D·P is in BB*, so that the product is in (BB*)^3.
A vector of size m = 4n has room for x and for sums beside it, and a step [[I, A], [0, I]] with
m non-zeros, 2n of them in A, adds A·x to the sums.
"""

from __future__ import annotations

from typing import Any

import scipy.sparse
import torch
from torch import Tensor

from bestiary.errors import UserError
from bestiary.structured.kaleidoscope import Kaleidoscope
from bestiary.structured.matrix import check_entries
from bestiary.structured.transforms.arguments import holding, square
from bestiary.structured.transforms.chain import product
from bestiary.structured.transforms.fan_out import fan_out
from bestiary.structured.transforms.routing import permutation

Entries = tuple[Tensor, Tensor, Tensor]
"""Rows, columns and values of non-zeros."""


def sparse(matrix: Any) -> Kaleidoscope:
    """The n×n matrix, of ``scipy.sparse`` or dense, as a kaleidoscope by its s non-zeros.

    With m the power of two that holds n: e is the smallest of 1, 2, 4 with s ≤ e·m, and w = 3; for
    s > 4m, e = 4 and w = 3·(⌈s/2m⌉ − 1), about 1.5·s/m. Raises ``UserError`` for what is no square
    matrix and for entries that are not finite.
    """
    rows, columns, values, n = entries_of(matrix)
    base = holding(n)
    for expansion in (1, 2, 4):
        if len(values) <= expansion * base:
            whole = few_entries((rows, columns, values), expansion * base)
            return Kaleidoscope(whole.butterflies, n)
    steps = sums((rows, columns, values), base, reads_corner=True)
    return Kaleidoscope(product(*reversed(steps)).butterflies, n)


def sparse_width(nonzeros: int, n: int) -> int:
    """The width of ``sparse`` for so many non-zeros."""
    base = holding(n)
    return 3 if nonzeros <= 4 * base else 3 * (-(-nonzeros // (2 * base)) - 1)


def sparse_expansion(nonzeros: int, n: int) -> int:
    """The expansion of ``sparse`` for so many non-zeros."""
    return next((e for e in (1, 2) if nonzeros <= e * holding(n)), 4)


def entries_of(matrix: Any) -> tuple[Tensor, Tensor, Tensor, int]:
    """Rows, columns and values of the non-zeros by rows, and n; ``UserError`` unless square."""
    if scipy.sparse.issparse(matrix):
        found = scipy.sparse.coo_array(matrix)
        if len(set(found.shape)) != 1:
            raise UserError(f"a sparse matrix has shape {found.shape}; it must be square")
        found.sum_duplicates()
        found.eliminate_zeros()
        wide = "complex128" if found.dtype.kind == "c" else "float64"
        values = torch.from_numpy(found.data.astype(wide))
        check_entries(values, "a sparse matrix")
        rows, columns = (torch.from_numpy(i.astype("int64")) for i in (found.row, found.col))
        order = (rows * found.shape[1] + columns).argsort()
        return rows[order], columns[order], values[order], found.shape[0]
    dense = square(matrix, "a sparse matrix")
    rows, columns = dense.nonzero(as_tuple=True)
    return rows, columns, dense[rows, columns], len(dense)


def few_entries(entries: Entries, size: int) -> Kaleidoscope:
    """The size × size matrix of at most ``size`` non-zeros, in (BB*)^3; size a power of two."""
    rows, columns, values = entries
    copies, added = fan_out(columns, size), fan_out(rows, size)
    order = torch.full((size,), -1)
    order[added.slots] = copies.slots
    rest = torch.ones(size, dtype=torch.bool)
    rest[copies.slots] = False
    order[order < 0] = rest.nonzero().flatten()
    weights = torch.zeros(size, dtype=values.dtype)
    weights[added.slots] = values
    leaving, entering = permutation(order).butterflies
    return Kaleidoscope(
        (
            added.gather.transpose(),
            added.spread.transpose(),
            leaving.scale_rows(weights),
            entering,
            copies.spread,
            copies.gather,
        )
    )


def sums(entries: Entries, base: int, *, reads_corner: bool) -> list[Kaleidoscope]:
    """Steps of size 4·base, first one first, each in (BB*)^3, after which the corner is A·x.

    With ``reads_corner`` x is the corner of what they are given; otherwise the corner holds sums
    to add to, and x is the block after it, as the steps leave it. The first step of the former
    kind has room for 3·base non-zeros and so has the last one; others hold 2·base.
    """
    rows, columns, values = entries
    total, start, steps = len(values), 0, []
    kept = torch.arange(base)
    one = torch.ones(base, dtype=values.dtype)
    first, last = reads_corner, False
    while not last:
        last = total - start <= (4 if first else 3) * base
        stop = total if last else start + (3 if first else 2) * base
        chunk = slice(start, stop)
        x = columns[chunk] + (0 if first else base)
        placed = [(rows[chunk], x, values[chunk])]
        if not first:
            placed.append((kept, kept, one))
        if not last:
            placed.append((kept + base, kept + (0 if first else base), one))
        joined = [torch.cat(parts) for parts in zip(*placed, strict=True)]
        steps.append(few_entries((joined[0], joined[1], joined[2]), 4 * base))
        start, first = stop, False
    return steps
