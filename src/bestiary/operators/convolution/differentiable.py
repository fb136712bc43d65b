"""The convolution as a function autograd knows: exact gradients of any order, little kept.

Only u and h are kept for the backward pass. A convolution is linear in each of u and h, so its
gradient is made of two functions that are closed under differentiation: ``Convolution`` and
``ConvolutionGradient``, the pair of products of an output gradient with h and with u.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from bestiary.operators.convolution import shifts, spectral, toeplitz
from bestiary.operators.convolution.geometry import Geometry
from bestiary.operators.convolution.plan import Plan

_WAYS: dict[str, ModuleType] = {"shifts": shifts, "toeplitz": toeplitz, "": spectral}


def convolve(u: Tensor, h: Tensor, geometry: Geometry, plan: Plan) -> Tensor:
    """y (batch, channels, length) in the dtype of u for h (channels, taps) of at least float32."""
    return Convolution.apply(u, h, geometry, plan)


class Convolution(Function):
    """(u, h) → y."""

    @staticmethod
    def forward(u: Tensor, h: Tensor, geometry: Geometry, plan: Plan) -> Tensor:
        """Run the plan."""
        return _WAYS[plan.product].forward(u, h, geometry, plan)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        """Keep the inputs, nothing else."""
        u, h, ctx.geometry, ctx.plan = inputs
        ctx.save_for_backward(u, h)
        ctx.save_for_forward(u, h)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, Tensor | None, None, None]:
        """Gradients by the other function, so that they can be differentiated too."""
        u, h = ctx.saved_tensors
        need = ctx.needs_input_grad[:2]
        grad_u, grad_h = ConvolutionGradient.apply(u, h, g, ctx.geometry, ctx.plan, need)
        return grad_u, grad_h, None, None

    @staticmethod
    def jvp(ctx: Any, a: Tensor | None, b: Tensor | None, *_: None) -> Tensor:
        """The derivative along (a, b): a * h + u * b."""
        u, h = ctx.saved_tensors
        parts = []
        if a is not None:
            parts.append(convolve(a, h, ctx.geometry, ctx.plan))
        if b is not None:
            parts.append(convolve(u, b, ctx.geometry, ctx.plan))
        return parts[0] if len(parts) == 1 else parts[0] + parts[1]

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *inputs: Any) -> tuple[Any, int]:
        """Map over further channels."""
        *tensors, geometry, plan = inputs
        u, h = _fold(info.batch_size, in_dims, tensors)
        return _unfold(convolve(u, h, geometry, plan), info.batch_size), 1


class ConvolutionGradient(Function):
    """(u, h, g) → gradients of <g, Convolution(u, h)> with respect to u and h.

    With a and b the gradients that come in for these two, the gradient with respect to g is
    a * h + u * b, and those with respect to u and h are the same pair for inputs a and b.
    """

    @staticmethod
    def forward(
        u: Tensor, h: Tensor, g: Tensor, geometry: Geometry, plan: Plan, need: tuple[bool, bool]
    ) -> tuple[Tensor | None, Tensor | None]:
        """Run the plan for the gradients asked for; None stands for the others."""
        return _WAYS[plan.product].gradients(u, h, g, geometry, plan, need)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Keep the inputs, nothing else."""
        u, h, g, ctx.geometry, ctx.plan, ctx.need = inputs
        ctx.save_for_backward(u, h, g)
        ctx.save_for_forward(u, h, g)
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, a: Tensor | None, b: Tensor | None) -> tuple[Any, ...]:
        """Gradients for the cotangents ``a`` of grad_u and ``b`` of grad_h."""
        u, h, g = ctx.saved_tensors
        grad_u = grad_h = grad_g = None
        if ctx.needs_input_grad[2]:
            parts = []
            if a is not None:
                parts.append(convolve(a, h, ctx.geometry, ctx.plan))
            if b is not None:
                parts.append(convolve(u, b, ctx.geometry, ctx.plan))
            grad_g = sum(parts) if parts else None
        # The gradient of h needs u only, that of u needs h only: each exists where the other's
        # cotangent does.
        need = (
            ctx.needs_input_grad[0] and b is not None,
            ctx.needs_input_grad[1] and a is not None,
        )
        if any(need):
            a = torch.zeros_like(u) if a is None else a
            b = torch.zeros_like(h) if b is None else b
            grad_u, grad_h = ConvolutionGradient.apply(a, b, g, ctx.geometry, ctx.plan, need)
        return grad_u, grad_h, grad_g, None, None, None

    @staticmethod
    def jvp(
        ctx: Any, a: Tensor | None, b: Tensor | None, c: Tensor | None, *_: None
    ) -> tuple[Tensor | None, Tensor | None]:
        """The derivative along (a, b, c): the pair is linear in (u, h) and in g."""
        u, h, g = ctx.saved_tensors
        a = torch.zeros_like(u) if a is None else a
        b = torch.zeros_like(h) if b is None else b
        pair = ConvolutionGradient.apply(a, b, g, ctx.geometry, ctx.plan, ctx.need)
        if c is not None:
            other = ConvolutionGradient.apply(u, h, c, ctx.geometry, ctx.plan, ctx.need)
            pair = tuple(None if x is None else x + y for x, y in zip(pair, other, strict=True))
        return pair

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *inputs: Any) -> tuple[Any, Any]:
        """Map over further channels."""
        *tensors, geometry, plan, need = inputs
        u, h, g = _fold(info.batch_size, in_dims, tensors)
        grad_u, grad_h = ConvolutionGradient.apply(u, h, g, geometry, plan, need)
        return (
            _unfold(grad_u, info.batch_size),
            _unfold(grad_h, info.batch_size),
        ), (1 if need[0] else None, 0 if need[1] else None)


def _fold(size: int, in_dims: tuple[Any, ...], tensors: list[Tensor]) -> list[Tensor]:
    """Make the mapped dimension a part of the channels; channels have nothing to do together."""
    folded = []
    for x, dim in zip(tensors, in_dims, strict=False):
        x = x.unsqueeze(0).expand(size, *x.shape) if dim is None else x.movedim(dim, 0)
        folded.append(x.movedim(0, -3).flatten(-3, -2))
    return folded


def _unfold(x: Tensor | None, size: int) -> Tensor | None:
    """The mapped dimension out of the channels again, right before them."""
    return None if x is None else x.unflatten(-2, (size, -1))
