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

_PADDED_FROM = 1 << 15
"""Elements from which a transposition goes by way of padded rows; below, a copy more costs more."""
_ROWS = 1024
"""Rows transposed at a time, so that their padded copy stays in a cache."""
_PADDING = 16
"""Elements between the rows of the padded copy: a cache line of float32."""


def to_batch_last(x: Tensor) -> Tensor:
    """(batch, m) → (m, batch), contiguous."""
    return _applied(_Transposed, x)


def to_batch_first(x: Tensor) -> Tensor:
    """(…, batch) with axes in any order in memory → (batch, product of the others), contiguous."""
    return _applied(_Transposed, x)


def _applied(function: type[Function], *tensors: Tensor) -> Tensor:
    """Without the machinery of gradients, which costs time, where none are asked for."""
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors):
        return function.apply(*tensors)
    return function.forward(*tensors)


class _Transposed(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        if x.device.type == "cpu" and x.numel() >= _PADDED_FROM:
            return _transposed_with_padding(x)
        return x.flatten(0, -2).t().contiguous()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        ctx.shape = inputs[0].shape

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return _Transposed.apply(g).reshape(ctx.shape)

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor) -> Tensor:
        return _Transposed.apply(tangent)


def _transposed_with_padding(x: Tensor) -> Tensor:
    """(…, columns) → (columns, rows), contiguous; all axes but the last are the rows.

    Rows that lie a power of two apart share a few sets of a cache, and reading down a column they
    push each other out. Padded rows do not, which is faster, the copy included.
    """
    rows, columns = x[..., 0].numel(), x.shape[-1]
    slab = rows // x.shape[0]
    at_once = max(1, _ROWS // slab)
    transposed = x.new_empty(columns, rows)
    padded = x.new_empty(at_once, *x.shape[1:-1], columns + _PADDING)[..., :columns]
    for start in range(0, x.shape[0], at_once):
        part = x[start : start + at_once]
        copy = padded[: part.shape[0]].copy_(part).flatten(0, -2)
        first = start * slab
        transposed[:, first : first + copy.shape[0]].copy_(copy.t())
    return transposed


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
    return _applied(FirstProduct, blocks, x)


def last_product(blocks: Tensor, x: Tensor) -> Tensor:
    """Blocks (m, r, r) times x (m, r, batch), as (batch, m·r): runs of r are copied, whole."""
    rows = torch.bmm(x.mT, blocks.mT)
    return rows.transpose(0, 1).reshape(x.shape[-1], -1)
