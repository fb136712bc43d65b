"""Shape, lengths and number formats of what comes out."""

from __future__ import annotations

import copy
from typing import Any

import torch

from bestiary.mixers.conformance.report import Failed, at
from bestiary.mixers.conformance.subject import (
    ROUNDING,
    Subject,
    difference,
    is_recurrent,
    recurrent,
    run,
)

TOLERANCES: dict[torch.dtype, float] = {
    torch.float64: ROUNDING,
    torch.float32: 1e-3,
    torch.bfloat16: 0.1,
}
"""Relative difference from the same mixer in float64. bfloat16 keeps 8 bits, so a chain of a few
operations loses a few per cent of the largest output."""


def shape(subject: Subject) -> None:
    """(batch, length, d_model) gives the same shape."""
    module = subject.build(torch.float32)
    length = min(16, subject.max_length)
    for batch in (2, 3):
        run(module, subject.inputs(length, batch, torch.float32))


def lengths(subject: Subject) -> None:
    """Any length works: each from 1 to 17, powers of two, their neighbours, primes, the longest."""
    module = subject.build(torch.float32)
    for length in subject.lengths(*range(1, 18), 31, 32, 33, 37, 61, 63, 64, 65):
        with at(f"length {length}"):
            y = run(module, subject.inputs(length, 1, torch.float32))
            if not y.isfinite().all():
                raise Failed("the output is not finite")


def prefix(subject: Subject) -> None:
    """Outputs don't change when the sequence goes on, so they don't depend on its length."""
    for variant, module in subject.variants():
        if module.training:
            continue
        x = subject.inputs(subject.max_length)
        with torch.no_grad():
            whole = run(module, x)
            for length in subject.lengths(2, 7, 16, 31, subject.max_length - 1):
                with at(f"the first {length} of {subject.max_length} positions, {variant}"):
                    gap = difference(run(module, x[:, :length]), whole[:, :length], whole)
                    if gap > ROUNDING:
                        raise Failed(f"differ by {gap:.1e} from those positions alone")


def dtypes(subject: Subject) -> None:
    """float32, bfloat16, float64 in, the same out, finite, near the float64 result, trainable."""
    for dtype, tolerance in TOLERANCES.items():
        name = str(dtype).removeprefix("torch.")
        with at(name):
            module = subject.build(torch.float32).to(dtype)
            x = subject.inputs(min(16, subject.max_length), 2, dtype).requires_grad_()
            y = run(module, x)
            exact = run(copy.deepcopy(module).double(), x.detach().double())
            _expect_dtype(y, dtype)
            gap = difference(y, exact)
            if gap > tolerance:
                raise Failed(f"differs by {gap:.1e} from the same mixer in float64")
            if y.requires_grad:
                y.sum().backward()
                for label, tensor in [("input", x), *module.named_parameters()]:
                    if tensor.grad is not None and not tensor.grad.isfinite().all():
                        raise Failed(f"the gradient of {label} is not finite")
            if is_recurrent(module):
                going_on: Any = recurrent(module)
                y, _ = going_on.forward(x.detach(), going_on.initial_state(2))
                _expect_dtype(y, dtype)


def _expect_dtype(y: torch.Tensor, dtype: torch.dtype) -> None:
    if y.dtype != dtype:
        raise Failed(f"the output is {str(y.dtype).removeprefix('torch.')}")
    if not y.isfinite().all():
        raise Failed("the output is not finite")
