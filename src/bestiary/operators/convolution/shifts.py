"""Convolution with few taps: a sum of shifted copies of the input, one a tap."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from bestiary.operators.convolution.geometry import Geometry, wrapped
from bestiary.operators.convolution.plan import Plan


def _runs(geometry: Geometry, tap: int) -> Iterator[tuple[slice, slice]]:
    """(outputs, inputs) that the tap joins: output t takes input t - tap + centre."""
    length, shift = geometry.length, geometry.centre - tap
    if geometry.circular:
        yield from wrapped(shift, shift + length, length)
    elif abs(shift) < length:
        start, stop = max(0, -shift), min(length, length - shift)
        yield slice(start, stop), slice(start + shift, stop + shift)


def forward(u: Tensor, h: Tensor, geometry: Geometry, plan: Plan) -> Tensor:
    """y (batch, channels, length) in the dtype of u, summed in the dtype of h."""
    y = torch.empty_like(u)
    for start in range(0, u.shape[0], plan.rows):
        part = slice(start, start + plan.rows)
        inputs = u[part].to(h.dtype)
        total = torch.zeros_like(inputs)
        for tap in range(geometry.taps):
            for out, into in _runs(geometry, tap):
                total[..., out].addcmul_(inputs[..., into], h[:, tap : tap + 1])
        y[part] = total
    return y


def gradients(
    u: Tensor, h: Tensor, g: Tensor, geometry: Geometry, plan: Plan, need: tuple[bool, bool]
) -> tuple[Tensor | None, Tensor | None]:
    """Gradients (of u, of h) for the output gradient ``g``, each None where not needed."""
    grad_u = torch.empty_like(u) if need[0] else None
    grad_h = torch.zeros_like(h) if need[1] else None
    for start in range(0, u.shape[0], plan.rows):
        part = slice(start, start + plan.rows)
        inputs, outputs = u[part].to(h.dtype), g[part].to(h.dtype)
        total = torch.zeros_like(inputs)
        for tap in range(geometry.taps):
            for out, into in _runs(geometry, tap):
                if grad_u is not None:
                    total[..., into].addcmul_(outputs[..., out], h[:, tap : tap + 1])
                if grad_h is not None:
                    grad_h[:, tap] += (outputs[..., out] * inputs[..., into]).sum((0, 2))
        if grad_u is not None:
            grad_u[part] = total
    return grad_u, grad_h
