"""Rotary position embedding: positions as rotations, so that scores depend on distance alone."""

from __future__ import annotations

import torch
from torch import Tensor


def rotate(x: Tensor, start: int = 0, base: float = 10_000.0) -> Tensor:
    """Rotate channel i of each half against channel i of the other by position · base^(-2i/dim).

    x: (..., length, dim) with dim even, its first row at position ``start``; same shape and dtype
    come back. Angles are computed in float64, the rotation in float32 at least, so that position
    16,000 is as exact as position 1. Su et al., arXiv 2104.09864, equation 34, with the pairs
    (i, i + dim/2) in place of (2i, 2i + 1).
    """
    length, dim = x.shape[-2:]
    positions = torch.arange(start, start + length, dtype=torch.float64, device=x.device)
    rates = base ** -(torch.arange(0, dim, 2, dtype=torch.float64, device=x.device) / dim)
    angles = positions[:, None] * rates
    wide = torch.promote_types(x.dtype, torch.float32)
    cos, sin = angles.cos().to(wide), angles.sin().to(wide)
    first, second = x.to(wide).chunk(2, dim=-1)
    turned = torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)
    return turned.to(x.dtype)
