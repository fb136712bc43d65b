"""Between vectors as rows, (batch, …, n), and vectors as columns, (…, n, batch).

Matrix products over blocks want the batch last, so that they have long rows. These functions are
each other's gradient and always give back tensors without gaps: a transposed view that is left to
be copied later is copied element by element.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function


def to_batch_last(x: Tensor) -> Tensor:
    """(batch, m) → (m, batch), contiguous."""
    return _Transposed.apply(x)


def to_batch_first(x: Tensor) -> Tensor:
    """(m, batch) → (batch, m), contiguous."""
    return _Transposed.apply(x)


class _Transposed(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x.t().contiguous()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return _Transposed.apply(g)

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor) -> Tensor:
        return _Transposed.apply(tangent)


class FirstProduct(Function):
    """(blocks (m, r, r), x (batch, m·r)) → (m, r, batch), the transposition done on the way.

    The matrix product reads x as it lies. Its gradient comes back with vectors as rows.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(blocks: Tensor, x: Tensor) -> Tensor:
        """Multiply each run of r entries of every vector by its block."""
        runs = x.unflatten(-1, (blocks.shape[0], -1))
        return torch.bmm(blocks, runs.permute(1, 2, 0))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        """Keep the inputs."""
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, Tensor | None]:
        """Made of functions that can be differentiated again."""
        blocks, x = ctx.saved_tensors
        grad_blocks = grad_x = None
        if ctx.needs_input_grad[0]:
            runs = x.unflatten(-1, (blocks.shape[0], -1)).transpose(0, 1)
            grad_blocks = torch.bmm(g, runs.conj())
        if ctx.needs_input_grad[1]:
            grad_x = last_product(blocks.mH, g)
        return grad_blocks, grad_x

    @staticmethod
    def jvp(ctx: Any, a: Tensor | None, b: Tensor | None) -> Tensor:
        """The derivative along (a, b)."""
        blocks, x = ctx.saved_tensors
        parts = []
        if a is not None:
            parts.append(FirstProduct.apply(a, x))
        if b is not None:
            parts.append(FirstProduct.apply(blocks, b))
        return parts[0] if len(parts) == 1 else parts[0] + parts[1]


def first_product(blocks: Tensor, x: Tensor) -> Tensor:
    """Blocks (m, r, r) times runs of x (batch, m·r), as (m, r, batch)."""
    return FirstProduct.apply(blocks, x)


def last_product(blocks: Tensor, x: Tensor) -> Tensor:
    """Blocks (m, r, r) times x (m, r, batch), as (batch, m·r): runs of r are copied, whole."""
    rows = torch.bmm(x.mT, blocks.mT)
    return rows.transpose(0, 1).reshape(x.shape[-1], -1)
