"""Convolution by products of transforms, tile by tile.

All tensors are (batch, channels, time) views of any strides; nothing is transposed as a whole. A
tile of some rows and channels is copied, transposed and zero-padded in one go, into a buffer that
fits the cache, and goes through transform, product and inverse there. Between forward and backward
nothing is kept but u and h: transforming a tile of u again is cheaper than writing its spectrum
to memory and reading it back.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from bestiary.operators.convolution.geometry import Block, Geometry, blocks, wrapped
from bestiary.operators.convolution.plan import Plan

# Reading down a column of rows that lie a multiple of this many bytes apart misses the first-level
# cache every time, since all of them compete for a few of its places. Such tiles are copied to
# rows with a gap between them before they are transposed.
_CONFLICT_BYTES = 2048
_ROW_GAP = 16


class _Buffer:
    """A zero-padded tile, into which runs of a tensor are copied; zeroed again only when needed."""

    def __init__(self, like: Tensor, rows: int, channels: int, size: int) -> None:
        self.data = like.new_zeros(rows, channels, size)
        self.filled = (0, 0)

    def load(self, x: Tensor, first: int, last: int, at: int = 0, wrap: bool = False) -> Tensor:
        """A tile with positions ``[first, last)`` of ``x`` from ``at`` on and zeros elsewhere."""
        region = (at, at + last - first)
        if region != self.filled:
            self.data.zero_()
            self.filled = region
        tile = self.data[: x.shape[0], : x.shape[1]]
        if not wrap:
            tile[..., at : at + last - first].copy_(x[..., first:last])
        else:
            for here, there in wrapped(first, last, x.shape[-1]):
                tile[..., at + here.start : at + here.stop].copy_(x[..., there])
        return tile


class _Outlet:
    """Writes runs of a tile to where they belong in a tensor, transposing on the way."""

    def __init__(self, like: Tensor, rows: int, channels: int, size: int) -> None:
        staging = like.new_empty(rows, channels, size + _ROW_GAP)
        self.staging = staging[..., :size]

    def _staged(self, tile: Tensor, out: Tensor) -> Tensor:
        pitch = tile.stride(-2) * tile.element_size()
        if out.stride(-1) == 1 or pitch % _CONFLICT_BYTES:
            return tile
        stage = self.staging[: tile.shape[0], : tile.shape[1], : tile.shape[2]]
        return stage.copy_(tile)

    def write(self, tile: Tensor, out: Tensor) -> None:
        out.copy_(self._staged(tile, out))

    def add(self, tile: Tensor, out: Tensor) -> None:
        out.add_(self._staged(tile, out))


def _spectrum(h: Tensor, n: int) -> Tensor:
    """The transform of a filter, divided by n once and for all, so that no inverse has to be."""
    return torch.fft.rfft(h, n, norm="forward")


def _tiles(extent: int, size: int) -> Iterator[slice]:
    for start in range(0, extent, size):
        yield slice(start, min(start + size, extent))


def _layout(geometry: Geometry, plan: Plan) -> tuple[list[Block], bool]:
    """The blocks, and whether u is read past its ends as a repeated sequence.

    A circular transform as long as the sequence wraps around by itself.
    """
    if geometry.circular and plan.fft_size == geometry.length:
        return [Block(0, geometry.length, 0, geometry.length, 0)], False
    return list(blocks(geometry, plan.block)), geometry.circular


def forward(u: Tensor, h: Tensor, geometry: Geometry, plan: Plan) -> Tensor:
    """y (batch, channels, length) in the dtype and strides of u, computed in the dtype of h."""
    n, (cuts, wrap) = plan.fft_size, _layout(geometry, plan)
    rows, channels = min(plan.rows, u.shape[0]), min(plan.channels, u.shape[1])
    buffer = _Buffer(h, rows, channels, n)
    outlet = _Outlet(h, rows, channels, plan.block)
    y = torch.empty_like(u)
    for group in _tiles(u.shape[1], plan.channels):
        filters = _spectrum(h[group], n)
        for part in _tiles(u.shape[0], plan.rows):
            for cut in cuts:
                tile = buffer.load(u[part, group], cut.first, cut.last, wrap=wrap)
                full = torch.fft.irfft(torch.fft.rfft(tile).mul_(filters), n, norm="forward")
                run = full[..., cut.offset : cut.offset + cut.stop - cut.start]
                outlet.write(run, y[part, group, cut.start : cut.stop])
    return y


def gradients(
    u: Tensor, h: Tensor, g: Tensor, geometry: Geometry, plan: Plan, need: tuple[bool, bool]
) -> tuple[Tensor | None, Tensor | None]:
    """Gradients (of u, of h) for the output gradient ``g``, each None where not needed.

    In the spectrum both are products with a conjugate: G · conj(H) and sum over rows of
    G · conj(U). Blocks overlap in their inputs, so a gradient of u from several is summed in
    their order.
    """
    n, (cuts, wrap) = plan.fft_size, _layout(geometry, plan)
    rows, channels = min(plan.rows, u.shape[0]), min(plan.channels, u.shape[1])
    buffer = _Buffer(h, rows, channels, n)
    outlet = _Outlet(h, rows, channels, max(cut.last - cut.first for cut in cuts))
    single = len(cuts) == 1 and not wrap
    grad_u = torch.empty_like(u) if single else torch.zeros_like(u, dtype=h.dtype)
    grad_h = torch.zeros_like(h)
    for group in _tiles(u.shape[1], plan.channels):
        filters = _spectrum(h[group], n).conj_physical_()
        total = torch.zeros_like(filters)
        for part in _tiles(u.shape[0], plan.rows):
            for cut in cuts:
                if need[1]:
                    tile = buffer.load(u[part, group], cut.first, cut.last, wrap=wrap)
                    inputs = torch.fft.rfft(tile).conj_physical_()
                tile = buffer.load(g[part, group], cut.start, cut.stop, at=cut.offset)
                outputs = torch.fft.rfft(tile)
                if need[1]:
                    product = inputs.mul_(outputs)
                    total += product[0] if len(product) == 1 else product.sum(0)
                if need[0]:
                    full = torch.fft.irfft(outputs.mul_(filters), n, norm="forward")
                    run = full[..., : cut.last - cut.first]
                    _put_back(outlet, run, grad_u[part, group], cut, wrap, single)
        if need[1]:
            grad_h[group] = torch.fft.irfft(total, n)[..., : geometry.taps]
    return (grad_u.to(u.dtype) if need[0] else None), (grad_h if need[1] else None)


def _put_back(
    outlet: _Outlet, run: Tensor, out: Tensor, cut: Block, wrap: bool, single: bool
) -> None:
    """Add the gradient of a block's inputs to where they came from."""
    if single:
        outlet.write(run, out[..., cut.first : cut.last])
    elif not wrap:
        outlet.add(run, out[..., cut.first : cut.last])
    else:
        for here, there in wrapped(cut.first, cut.last, out.shape[-1]):
            outlet.add(run[..., here], out[..., there])
