"""Convolution as one Toeplitz matrix a channel, multiplied in a batch over channels.

For short sequences a matrix product at the full speed of the machine beats a transform, in spite
of its length² operations. The matrix of a channel is M[s, t] = h[t - s + centre], the coefficient
of input s in output t.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import pad

from bestiary.operators.convolution.geometry import Geometry
from bestiary.operators.convolution.plan import Plan


def _diagonals(h: Tensor, geometry: Geometry) -> Tensor:
    """(channels, 2 · length - 1): the coefficient at lag i - (length - 1), t - s being the lag."""
    length, taps, centre = geometry.length, geometry.taps, geometry.centre
    if geometry.circular:
        whole = pad(h, (0, length - taps))
        return torch.cat([whole[:, 1:], whole], 1)
    before = length - 1 - centre
    return pad(h, (before, 2 * length - 1 - before - taps))


def _taps(diagonals: Tensor, geometry: Geometry) -> Tensor:
    """Transpose of ``_diagonals``: the sum, for each tap, of the lags it serves."""
    length, taps, centre = geometry.length, geometry.taps, geometry.centre
    if geometry.circular:
        whole = diagonals[:, length - 1 :].clone()
        whole[:, 1:] += diagonals[:, : length - 1]
        return whole[:, :taps].contiguous()
    before = length - 1 - centre
    return diagonals[:, before : before + taps].contiguous()


def _matrix(h: Tensor, geometry: Geometry) -> Tensor:
    """(channels, length, length): row s holds the coefficients of input s."""
    return _diagonals(h, geometry).unfold(1, geometry.length, 1).flip(1)


def _diagonal_sums(matrix: Tensor) -> Tensor:
    """(channels, 2 · length - 1): the sum of every diagonal, by lag.

    Rows that are padded to the number of lags and read at a pitch one longer are shifted by one
    more position each, so that diagonals become columns.
    """
    channels, length, _ = matrix.shape
    lags = 2 * length - 1
    rows = matrix.new_zeros(channels, length + 1, lags)
    rows[:, :length, length - 1 :] = matrix
    shifted = rows.as_strided((channels, length, lags), (rows.stride(0), lags + 1, 1))
    return shifted.sum(1)


def _channels_first(x: Tensor, dtype: torch.dtype) -> Tensor:
    """(channels, batch, time) with time adjacent, by one copy at most."""
    return x.to(dtype).contiguous().transpose(0, 1)


def _like(product: Tensor, u: Tensor) -> Tensor:
    """The (channels, batch, time) product as (batch, channels, time) in u's order of memory."""
    channels, batch, length = product.shape
    if u.stride(-1) == 1 or length == 1:
        return product.transpose(0, 1).to(u.dtype).contiguous()
    flat = product.view(channels, batch * length).to(u.dtype).t().contiguous()
    return flat.view(batch, length, channels).transpose(1, 2)


def forward(u: Tensor, h: Tensor, geometry: Geometry, plan: Plan) -> Tensor:
    """y (batch, channels, length) in the dtype of u, computed in the dtype of h."""
    product = torch.bmm(_channels_first(u, h.dtype), _matrix(h, geometry))
    return _like(product, u)


def gradients(
    u: Tensor, h: Tensor, g: Tensor, geometry: Geometry, plan: Plan, need: tuple[bool, bool]
) -> tuple[Tensor | None, Tensor | None]:
    """Gradients (of u, of h) for the output gradient ``g``, each None where not needed."""
    outputs = _channels_first(g, h.dtype)
    grad_u = grad_h = None
    if need[0]:
        grad_u = _like(torch.bmm(outputs, _matrix(h, geometry).mT), u)
    if need[1]:
        matrix = torch.bmm(_channels_first(u, h.dtype).mT, outputs)
        grad_h = _taps(_diagonal_sums(matrix), geometry)
    return grad_u, grad_h
