"""Apply factors one after the other, element by element: little work before the first vector."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from bestiary.operators.butterfly.plan import Order


def one_by_one(x: Tensor, twiddle: Tensor, orders: Sequence[Order]) -> Tensor:
    """x (..., *stack, n) times twiddle (*stack, m, L, 2, 2, n/2), the last factor first."""
    levels = twiddle.shape[-4]
    for butterfly in reversed(range(len(orders))):
        for place in reversed(range(levels)):
            size = levels - place if orders[butterfly] == "falling" else place + 1
            x = apply_factor(x, twiddle[..., butterfly, place, :, :, :], 1 << size)
    return x


def apply_factor(x: Tensor, packed: Tensor, k: int) -> Tensor:
    """x (..., *stack, n) times one factor of size k, packed as (*stack, 2, 2, n/2)."""
    blocks, half = x.shape[-1] // k, k // 2
    halves = x.unflatten(-1, (blocks, 2, half))
    diagonals = packed.unflatten(-1, (blocks, half)).movedim(-2, -4)
    from_first = diagonals[..., 0, :] * halves[..., :1, :]
    return torch.addcmul(from_first, diagonals[..., 1, :], halves[..., 1:, :]).flatten(-3)
