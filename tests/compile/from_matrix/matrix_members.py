"""Random members of the hierarchy, and what a compiled one is compared with."""

from __future__ import annotations

import numpy as np
import torch

from bestiary.compile import Compiled
from bestiary.structured import Butterfly, ButterflyFactor, Kaleidoscope, StructuredMatrix

TOLERANCE = 1e-10


def factor(n: int, k: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> ButterflyFactor:
    generator = torch.Generator().manual_seed(1000 * k + seed)
    return ButterflyFactor(
        n, k, torch.randn(n // k, 2, 2, k // 2, dtype=dtype, generator=generator)
    )


def butterfly(
    n: int, seed: int = 0, dtype: torch.dtype = torch.float64, *, adjoint: bool = False
) -> Butterfly:
    sizes = [2 << i for i in range(n.bit_length() - 1)]
    factors = [factor(n, k, seed, dtype) for k in sizes]
    return Butterfly(factors if adjoint else factors[::-1])


def kaleidoscope(
    size: int, w: int, n: int | None = None, dtype: torch.dtype = torch.float64
) -> Kaleidoscope:
    parts = [butterfly(size, seed, dtype, adjoint=seed % 2 == 1) for seed in range(2 * w)]
    return Kaleidoscope(parts, n)


def shape(made: Compiled) -> tuple[int, int, int]:
    """(layers, rows inside, channels inside)."""
    rows = made.stack.inner_length
    assert rows is not None
    return len(made.stack.layers), rows, made.stack.width


def error(made: Compiled, member: StructuredMatrix) -> float:
    """The largest error of a compiled member over the largest number of the product itself.

    The product is the dense one up to 512, above it factor by factor.
    """
    width = 2 if member.is_complex else 1
    x = np.random.default_rng(1).normal(size=(3, member.n * width))
    if member.n <= 512:
        dense = member.real_form() if member.is_complex else member.dense()
        expected = x @ dense.numpy().T
    else:
        given = torch.from_numpy(x)
        given = torch.view_as_complex(given.unflatten(1, (-1, 2))) if width == 2 else given
        product = member.apply(given)
        expected = (torch.view_as_real(product).flatten(1) if width == 2 else product).numpy()
    with torch.no_grad():
        got = made.stack(torch.from_numpy(x.reshape(3, made.source.rows, -1))).numpy()
    return float(np.abs(got.reshape(expected.shape) - expected).max() / np.abs(expected).max())
