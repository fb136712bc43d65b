"""Where the twiddles of a trainable butterfly start."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import torch
from torch import Tensor

Start = Literal["identity", "orthogonal", "dft", "random"]
STARTS: tuple[Start, ...] = get_args(Start)


def identity_twiddle(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """(*shape, 2, 2, n/2 at the end of ``shape``): every factor is the identity.

    ``shape`` is (…, n/2), of which the last axis comes after the two of the 2×2 blocks, here and
    in the functions below.
    """
    *outer, pairs = shape
    return torch.eye(2, dtype=dtype).unsqueeze(-1).expand(*outer, 2, 2, pairs).clone()


def orthogonal_twiddle(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """Every 2×2 block drawn evenly from the orthogonal matrices, or unitary ones if complex.

    The butterfly is then orthogonal (unitary) too. Mezzadri, "How to generate random matrices from
    the classical compact groups", 2007: QR of Gaussian entries, with the signs of R made positive.
    """
    q, r = torch.linalg.qr(torch.randn(*shape, 2, 2, dtype=dtype))
    diagonal = r.diagonal(dim1=-2, dim2=-1)
    return (q * (diagonal / diagonal.abs()).unsqueeze(-2)).movedim(-3, -1).contiguous()


def random_twiddle(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """Gaussian entries of variance 1/2, so that a factor keeps the mean square of a vector."""
    *outer, pairs = shape
    return torch.randn(*outer, 2, 2, pairs, dtype=dtype) / 2**0.5


DRAWN: dict[str, Callable[[tuple[int, ...], torch.dtype], Tensor]] = {
    "identity": identity_twiddle,
    "orthogonal": orthogonal_twiddle,
    "random": random_twiddle,
}
"""Starts that need the shape alone, by name."""
