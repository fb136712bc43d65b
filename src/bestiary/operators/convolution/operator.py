"""The operator: checks, layouts and dtypes around the convolution itself."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import torch
from torch import Tensor

from bestiary.errors import UserError, counted
from bestiary.operators.convolution.differentiable import convolve
from bestiary.operators.convolution.geometry import Geometry, geometry_for
from bestiary.operators.convolution.plan import Path, Plan, plan_geometry

P = ParamSpec("P")
R = TypeVar("R")


def _opaque(function: Callable[P, R]) -> Callable[P, R]:
    """Tell compilers to leave calls of ``function`` alone.

    They gain nothing inside (transforms and matrix products are library calls) and would unroll
    the loops over tiles. ``torch.compiler.disable`` takes seconds to load the compiler, so it is
    asked for only where that is there already, as it is whenever something is compiled.
    """

    disabled: Callable[P, R] | None = None

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        nonlocal disabled
        # torch.compiler.is_compiling is false when a graph that was broken here runs on.
        if "torch._dynamo" not in sys.modules:
            return function(*args, **kwargs)
        if disabled is None:
            disabled = torch.compiler.disable(function)
        return disabled(*args, **kwargs)

    return called


@_opaque
def conv(
    u: Tensor,
    h: Tensor,
    mode: str = "causal",
    *,
    path: Path = "auto",
    centre: int | None = None,
    time_last: bool = False,
) -> Tensor:
    """Convolve each channel of ``u`` with its own filter, the channel of ``h`` of the same index.

    u: (batch, length, channels); h: (taps, channels), any number of taps from 1 up. With
    ``time_last`` u is (batch, channels, length) and h (channels, taps). Real floating point;
    computed in the wider of the two dtypes and float32, so bfloat16 tensors in float32. Returns
    the shape and dtype of ``u``.

    - ``causal``: y[t] = sum_j h[j] u[t - j], with u = 0 before the start.
    - ``circular``: the same with t - j taken modulo the length, the product of polynomials modulo
      X^length - 1. Taps beyond the length go round again.
    - ``bidirectional``: y[t] = sum_j h[j] u[t - j + centre], with u = 0 outside. Tap ``centre``
      is at offset 0, those before it look ahead. It is the middle one by default (index
      length - 1 of the 2 · length - 1 taps that a whole two-sided filter has); an even number of
      taps has no middle, so it must be given.

    ``path`` is ``auto``, ``direct``, ``fft`` or ``chunked``; ``explain`` tells what ``auto``
    becomes. Differentiable any number of times; nothing but u and h is kept for that. Raises
    ``UserError`` for shapes, dtypes, modes, paths or centres that don't fit.
    """
    geometry, plan = _prepare(u, h, mode, path, centre, time_last)
    if not time_last:
        u, h = u.mT, h.mT
    y = convolve(u, _trim(h.to(_work_dtype(u, h)), geometry), geometry.trimmed(), plan)
    return y if time_last else y.mT


def explain(
    u: Tensor,
    h: Tensor,
    mode: str = "causal",
    *,
    path: Path = "auto",
    centre: int | None = None,
    time_last: bool = False,
) -> Plan:
    """The plan by which ``conv`` computes the same call; nothing is computed."""
    return _prepare(u, h, mode, path, centre, time_last)[1]


def _work_dtype(u: Tensor, h: Tensor) -> torch.dtype:
    return torch.promote_types(torch.promote_types(u.dtype, h.dtype), torch.float32)


def _prepare(
    u: Tensor, h: Tensor, mode: str, path: Path, centre: int | None, time_last: bool
) -> tuple[Geometry, Plan]:
    """The untrimmed geometry and the plan, once the tensors are found to fit."""
    for name, x, dim in (("input", u, 3), ("filter", h, 2)):
        if x.dim() != dim:
            raise UserError(f"the {name} has {x.dim()} dimensions, {tuple(x.shape)}, not {dim}")
        if not x.is_floating_point():
            raise UserError(f"the {name} is {x.dtype}; it must be real floating point")
    if time_last:
        (batch, channels, length), (filters, taps) = u.shape, h.shape
    else:
        (batch, length, channels), (taps, filters) = u.shape, h.shape
    if channels != filters:
        raise UserError(f"the filter has {counted(filters, 'channel')} and the input {channels}")
    if u.device != h.device:
        raise UserError(f"the filter is on {h.device} and the input on {u.device}")
    geometry = geometry_for(length, taps, mode, centre)
    kept, dtype = geometry.trimmed(), _work_dtype(u, h)
    plan = plan_geometry(kept, batch, channels, path, dtype, u.device.type)
    return geometry, plan


def _trim(h: Tensor, geometry: Geometry) -> Tensor:
    """The taps of ``geometry.trimmed()``: those in reach, or all folded into one period."""
    if geometry.circular and geometry.taps > geometry.length:
        missing = -geometry.taps % geometry.length
        whole = torch.nn.functional.pad(h, (0, missing))
        return whole.unflatten(-1, (-1, geometry.length)).sum(-2)
    return h[:, geometry.reach]
