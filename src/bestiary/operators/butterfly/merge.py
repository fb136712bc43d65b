"""Merge the factors that move one field of index bits into dense blocks.

A field of g bits above ``low`` others has r = 2^g values. The factors of sizes 2·low, …, r·low act
within groups of r entries that differ in the field alone, so their product is n/r dense blocks
r×r. Doubling gives them: from the blocks M_0, M_1 of the two halves,

    [[D1, D2], [D3, D4]] · diag(M_0, M_1) = [[D1 M_0, D2 M_1], [D3 M_0, D4 M_1]],

one product of elements a level, and likewise with diag(M_0, M_1) on the left.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from bestiary.operators.butterfly.layout import to_batch_first
from bestiary.operators.butterfly.plan import Order

STACK = -1
"""The place of the stack in an order of axes whose other members are fields."""


def merge(
    twiddle: Tensor, order: Order, radices: Sequence[int], field: int, axes: Sequence[int]
) -> Tensor:
    """Blocks (n/r · stack, r, r) of one field, b[·, i, j] the entry in row i and column j.

    twiddle: (stack, L, 2, 2, n/2), factors in written order. ``axes`` are the other fields and
    ``STACK``, in the order in which the blocks are to be numbered.
    """
    factors = _arranged(twiddle, order, radices, field, axes)
    # Work is kept as (r, r, numbers): numbers of blocks are many and next to each other, so that
    # every product of elements runs along them. Falling blocks are kept transposed.
    work = twiddle.new_ones(radices[field], 1, 1, 1)
    for level, factor in enumerate(factors):
        pairs = factor.unflatten(0, (-1, 1 << level))
        work = _double(work, pairs.permute(0, 2, 3, 1, 4), order)
    blocks = to_batch_first(work.flatten(0, 2)).unflatten(-1, work.shape[1:3])
    return blocks.mT if order == "falling" else blocks


def _arranged(
    twiddle: Tensor, order: Order, radices: Sequence[int], field: int, axes: Sequence[int]
) -> list[Tensor]:
    """The factors of a field, smallest first, each (r/2, 2, 2, numbers of blocks); one copy.

    The last axis of a twiddle runs over the bits of the index but the one that the factor pairs.
    Of the field's bits, whose values are the first axis here, those above that one come first.
    """
    bits = [radix.bit_length() - 1 for radix in radices]
    low, levels = sum(bits[field + 1 :]), twiddle.shape[-4]
    # Written order is sizes n, …, 2 for falling: size 2^(m+1) stands at place L - 1 - m.
    first = low if order == "rising" else levels - low - bits[field]
    own = twiddle[:, first : first + bits[field]]
    parts = own.unflatten(-1, (*radices[:field], radices[field] // 2, *radices[field + 1 :]))
    # Axes now: stack, level, i, j, then the fields.
    outer = [0 if axis == STACK else 4 + axis for axis in axes]
    if STACK not in axes:
        outer.insert(0, 0)
    factors = parts.permute(1, 4 + field, 2, 3, *outer).flatten(4).unbind(0)
    return list(factors if order == "rising" else reversed(factors))


def _double(work: Tensor, factor: Tensor, order: Order) -> Tensor:
    """Work (halves, s, s, numbers) for blocks of twice the size.

    Kept as it is, it comes out in the order in which the next level reads it, and nothing has to
    be copied. Falling: out[j, q, i, p] = D_ij[p] · M_j[p, q], with M_j kept as [q, p]. Rising:
    out[i, p, j, q] = M_i[p, q] · D_ij[q].
    """
    halves, _, _, half, numbers = factor.shape
    work = work.reshape(halves, 2, half, 1, half, work.shape[-1])
    diagonals = (factor.transpose(1, 2) if order == "falling" else factor).unsqueeze(2)
    return (work * diagonals).reshape(halves, 2 * half, 2 * half, numbers)


def joined(pieces: Sequence[Tensor]) -> Tensor:
    """The product of blocks of one field, the one applied first at the front."""
    product = pieces[0]
    for blocks in pieces[1:]:
        product = torch.bmm(blocks, product)
    return product
