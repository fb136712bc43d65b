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
    bits = [radix.bit_length() - 1 for radix in radices]
    low = sum(bits[field + 1 :])
    levels = twiddle.shape[-4]
    blocks: Tensor | None = None
    for level in range(bits[field]):
        # Written order is sizes n, …, 2 for falling: size 2^(m+1) stands at place L - 1 - m.
        size = low + level
        place = levels - 1 - size if order == "falling" else size
        factor = _by_axes(twiddle[:, place], radices, field, axes, level)
        blocks = _double(blocks, factor, order)
    assert blocks is not None
    blocks = blocks.flatten(1, 2)
    return blocks.mT if order == "falling" else blocks


def _by_axes(
    factor: Tensor, radices: Sequence[int], field: int, axes: Sequence[int], level: int
) -> Tensor:
    """One factor (stack, 2, 2, n/2) as (numbers of blocks, halves, 2, 2, 2^level).

    The last axis of the factor runs over the bits of the index but one, the one that the factor
    pairs; within the field there are those above it, ``halves``, and the ``level`` below.
    """
    radix = radices[field]
    own = (radix >> (level + 1), 1 << level)
    parts = factor.unflatten(-1, (*radices[:field], *own, *radices[field + 1 :]))
    # Axes now: stack, i, j, fields above, halves, below, fields below.
    place = {STACK: 0}
    for other in range(len(radices)):
        place[other] = 3 + other + (other > field)
    halves = 3 + field
    outer = [place[axis] for axis in axes]
    if STACK not in axes:
        outer.insert(0, 0)
    permuted = parts.permute(*outer, halves, 1, 2, halves + 1)
    return permuted.reshape(-1, own[0], 2, 2, own[1])


def _double(blocks: Tensor | None, factor: Tensor, order: Order) -> Tensor:
    """Blocks (m, h, …) of twice the size from those of halves; falling ones are kept transposed.

    Kept as they are, products of elements come out in the order in which the next level reads
    them, and nothing has to be copied.
    """
    numbers, halves, _, _, half = factor.shape
    if blocks is None:
        blocks = factor.new_ones(1, 1, 1, 1, 1, 1)
    else:
        blocks = blocks.reshape(numbers, halves, 2, half, 1, half)
    # Falling: out[j, q, i, p] = D_ij[p] · M_j[p, q], with M_j kept as [q, p].
    # Rising: out[i, p, j, q] = M_i[p, q] · D_ij[q].
    diagonals = (factor.transpose(2, 3) if order == "falling" else factor).unsqueeze(3)
    return (blocks * diagonals).reshape(numbers, halves, 2 * half, 2 * half)


def joined(pieces: Sequence[Tensor]) -> Tensor:
    """The product of blocks of one field, the one applied first at the front."""
    product = pieces[0]
    for blocks in pieces[1:]:
        product = torch.bmm(blocks, product)
    return product
