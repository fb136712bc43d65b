"""The operator: a product of butterflies times a batch of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import torch
from torch import Tensor

from bestiary.errors import UserError
from bestiary.operators.butterfly.blocks import merge_all
from bestiary.operators.butterfly.factors import one_by_one
from bestiary.operators.butterfly.plan import Plan, plan_for

DTYPES = (torch.float32, torch.float64, torch.complex64, torch.complex128)


def multiply(
    x: Tensor,
    twiddle: Tensor,
    orders: Sequence[str] = ("falling",),
    *,
    batch_last: bool = False,
    path: str = "auto",
    radices: Sequence[int] | None = None,
) -> Tensor:
    """Multiply vectors by a product of butterflies, M = W_0 · W_1 ··· W_{m-1}; the last one first.

    twiddle: (*stack, m, log2 n, 2, 2, n/2), the factors of each butterfly in written order:
    sizes n, …, 2 where ``orders`` says ``falling`` (a member of B), 2, …, n where it says
    ``rising`` (a member of B*). ``twiddle[..., w, f, i, j, :]`` is the diagonal in row i and column
    j of the blocks of a factor of size k, its last axis being (block, p), flattened: n/k blocks of
    k/2. x: (..., *stack, n), one vector for each member of the stack (axes of size 1 are
    stretched), or with ``batch_last`` (*stack, n, batch), which saves two transpositions. Both
    float32, float64, complex64 or complex128.

    Returns the shape of x, contiguous, in the wider dtype of the two. Differentiable any number
    of times. ``path`` (``blocks`` or ``factors``) and ``radices`` overrule what ``plan_for``
    chooses. Raises ``UserError`` for shapes that do not go together.
    """
    stack, batch = _shapes(x, twiddle, orders, batch_last)
    plan = _planned(x, twiddle, orders, stack, batch, path, radices)
    dtype = torch.promote_types(x.dtype, twiddle.dtype)
    x, twiddle = x.to(dtype), twiddle.to(dtype)
    if plan.path == "factors" or batch == 0:
        rows = x.movedim(-1, 0) if batch_last else x
        y = one_by_one(rows, twiddle, plan.orders)
        return y.movedim(0, -1).contiguous() if batch_last else y
    merged = merge_all(twiddle.reshape(prod(stack), *twiddle.shape[-5:]), plan)
    if batch_last:
        return merged.columns(x.reshape(-1, x.shape[-1])).reshape(x.shape)
    x = x.expand(*x.shape[: x.dim() - 1 - len(stack)], *stack, x.shape[-1])
    return merged.rows(x.reshape(batch, prod(x.shape[x.dim() - 1 - len(stack) :]))).reshape(x.shape)


def explain(
    x: Tensor,
    twiddle: Tensor,
    orders: Sequence[str] = ("falling",),
    *,
    batch_last: bool = False,
    path: str = "auto",
    radices: Sequence[int] | None = None,
) -> Plan:
    """The plan ``multiply`` follows for these arguments."""
    stack, batch = _shapes(x, twiddle, orders, batch_last)
    return _planned(x, twiddle, orders, stack, batch, path, radices)


def _planned(
    x: Tensor,
    twiddle: Tensor,
    orders: Sequence[str],
    stack: tuple[int, ...],
    batch: int,
    path: str,
    radices: Sequence[int] | None,
) -> Plan:
    return plan_for(
        2 * twiddle.shape[-1],
        batch,
        orders,
        stack=prod(stack),
        path=path,
        radices=radices,
        device=x.device.type,
    )


def _shapes(
    x: Tensor, twiddle: Tensor, orders: Sequence[str], batch_last: bool
) -> tuple[tuple[int, ...], int]:
    """(stack, batch) of arguments that go together."""
    n = 2 * twiddle.shape[-1]
    expected = (len(orders), n.bit_length() - 1, 2, 2)
    if twiddle.dim() < 5 or n & (n - 1) or tuple(twiddle.shape[-5:-1]) != expected:
        raise UserError(
            f"a twiddle of shape {tuple(twiddle.shape)} does not fit {len(orders)} butterflies "
            f"(accepted: (*stack, {len(orders)}, log2 n, 2, 2, n/2))"
        )
    for name, tensor in (("x", x), ("twiddle", twiddle)):
        if tensor.dtype not in DTYPES:
            accepted = ", ".join(str(d).removeprefix("torch.") for d in DTYPES)
            raise UserError(f"{name} is {tensor.dtype} (accepted: {accepted})")
    stack = tuple(twiddle.shape[:-5])
    if batch_last:
        if tuple(x.shape[:-1]) != (*stack, n):
            accepted = ", ".join([*map(str, stack), str(n), "batch"])
            raise UserError(f"x has shape {tuple(x.shape)} (accepted: ({accepted}))")
        return stack, x.shape[-1]
    outer = x.dim() - 1 - len(stack)
    if (
        outer < 0
        or x.shape[-1] != n
        or any(a not in (1, s) for a, s in zip(x.shape[outer:], stack, strict=False))
    ):
        accepted = ", ".join(["...", *map(str, stack), str(n)])
        raise UserError(f"x has shape {tuple(x.shape)} (accepted: ({accepted}))")
    return stack, prod(x.shape[:outer])
