"""The numbers and members that named transforms are shown with, pure functions of n."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from bestiary.errors import UserError
from bestiary.structured.butterfly import Butterfly, falling_sizes
from bestiary.structured.butterfly_factor import ButterflyFactor
from bestiary.structured.kaleidoscope import Kaleidoscope
from bestiary.structured.matrix import check_power_of_two
from bestiary.structured.monarch import Monarch
from bestiary.structured.transforms.convolution import circulant
from bestiary.structured.transforms.cosine import dct2
from bestiary.structured.transforms.kronecker_product import block_diagonal, kronecker
from bestiary.structured.transforms.routing import permutation
from bestiary.structured.transforms.wavelet import haar

SEED = 2026


def generator(n: int, which: int = 0) -> np.random.Generator:
    """The generator for size n; ``which`` tells several draws of one transform apart."""
    return np.random.default_rng((SEED, n, which))


def numbers(n: int, which: int = 0) -> NDArray[np.float64]:
    """n numbers of a standard normal distribution."""
    return generator(n, which).standard_normal(n)


def grid(n: int) -> tuple[int, int]:
    """The rows and columns, as equal as can be, of an array of n numbers; at least as many columns.

    ``UserError`` where there are none.
    """
    if n < 1:
        raise UserError(f"an array of n = {n} numbers has no rows; n is 1 or more")
    rows = next(p for p in range(math.isqrt(n), 0, -1) if n % p == 0)
    return rows, n // rows


def even_grid(n: int, what: str) -> tuple[int, int]:
    """``grid`` of at least 2 × 2, both powers of two; ``UserError`` where n is of other sizes."""
    check_power_of_two(n, f"the size n of {what}", least=4)
    return grid(n)


def shuffled(n: int, which: int = 0) -> list[int]:
    """The source of a random permutation."""
    return [int(i) for i in generator(n, which).permutation(n)]


def sources(n: int) -> list[int]:
    """The sources of a random selection; about a quarter of the entries is taken."""
    drawn = generator(n)
    return [int(i) for i in drawn.choice(drawn.integers(0, n, -(-n // 4)), n)]


def nodes(n: int) -> NDArray[np.complex128]:
    """Geometric nodes on the unit circle."""
    return np.exp(1j * (0.1 + 0.7 * np.arange(n)))


def sparse(n: int) -> NDArray[np.float64]:
    """A matrix with 3n non-zeros, or n² if that is less, at random places."""
    matrix = np.zeros(n * n)
    places = generator(n).permutation(n * n)[: 3 * n]
    matrix[places] = generator(n, 1).standard_normal(len(places))
    return matrix.reshape(n, n)


def low_rank(n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The two factors (n, 3) of a matrix of rank 3."""
    left, right = generator(n, 2).standard_normal((2, n, 3))
    return left, right


def fastfood(n: int) -> tuple[Any, Any, list[int], Any]:
    """Scaling, Gaussian diagonal, permutation and signs."""
    signs = np.sign(numbers(n, 3))
    return np.abs(numbers(n, 1)), numbers(n, 2), shuffled(n), signs


def monarch_blocks(n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Left blocks (q, p, p) and right blocks (p, q, q) for n = p·q."""
    p, q = grid(n)
    drawn = generator(n)
    return drawn.standard_normal((q, p, p)), drawn.standard_normal((p, q, q))


def dominant(n: int) -> NDArray[np.float64]:
    """The first column of a circulant that is far from singular."""
    check_power_of_two(n, "the size n of a circulant to invert")
    column = numbers(n) / (2 * np.abs(numbers(n)).sum())
    column[0] += 1
    return column


def twiddles(n: int) -> list[NDArray[np.float64]]:
    """Twiddles (n/k, 2, 2, k/2) for k = n, n/2, …, 2, of factors that are far from singular."""
    drawn = generator(n)
    made = []
    for k in falling_sizes(n):
        twiddle = drawn.uniform(-0.5, 0.5, (n // k, 2, 2, k // 2))
        made.append(twiddle + np.eye(2)[:, :, None])
    return made


def kronecker_product(n: int) -> Kaleidoscope:
    """A random circulant ⊗ DCT-II, of sizes as equal as can be."""
    rows, columns = even_grid(n, "a Kronecker product of a circulant and a DCT")
    return kronecker(circulant(numbers(rows)), dct2(columns))


def two_blocks(n: int) -> Kaleidoscope:
    """A random permutation and a Haar transform of n/2 each."""
    check_power_of_two(n, "the size n of a permutation and a Haar transform as blocks", least=4)
    return block_diagonal([permutation(shuffled(n // 2)), haar(n // 2)])


def monarch(n: int) -> Monarch:
    """A random Monarch matrix."""
    left, right = monarch_blocks(n)
    return Monarch(torch.from_numpy(left), torch.from_numpy(right))


def butterfly(n: int) -> Butterfly:
    """A random butterfly, far from singular."""
    pairs = zip(falling_sizes(n), twiddles(n), strict=True)
    return Butterfly([ButterflyFactor(n, k, torch.from_numpy(t)) for k, t in pairs])
