"""Dense matrices of the named transforms by numpy and scipy or straight from the definition.

Nothing here knows butterflies: what the compiler makes is checked against these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.fft
import scipy.linalg
from numpy.typing import NDArray

from bestiary.structured.transforms import example
from bestiary.structured.transforms.example import numbers

Array = NDArray[Any]


def dft(n: int) -> Array:
    """numpy.fft.fft of the unit vectors."""
    return np.fft.fft(np.eye(n), axis=0)


def inverse_dft(n: int) -> Array:
    """numpy.fft.ifft of the unit vectors."""
    return np.fft.ifft(np.eye(n), axis=0)


def dft_2d(n: int) -> Array:
    """numpy.fft.fft2 of the unit arrays, read row by row."""
    units = np.eye(n).reshape(n, *example.grid(n))
    return np.fft.fft2(units).reshape(n, n).T


def hartley(n: int) -> Array:
    """cos(2πkj/n) + sin(2πkj/n)."""
    angle = 2 * np.pi * (np.outer(np.arange(n), np.arange(n)) % n) / n
    return np.cos(angle) + np.sin(angle)


def real_dft(n: int) -> Array:
    """numpy.fft.rfft, real and imaginary parts one after the other without those that are 0."""
    spectrum = np.fft.rfft(np.eye(n), axis=0)
    parts = np.stack([spectrum.real, spectrum.imag], 1).reshape(-1, n)
    return np.delete(parts, 1, axis=0)[:n]


def dct(kind: int) -> Callable[[int], Array]:
    """scipy.fft.dct of a type, of the unit vectors."""
    return lambda n: scipy.fft.dct(np.eye(n), type=kind, axis=0)


def dst(kind: int) -> Callable[[int], Array]:
    """scipy.fft.dst of a type, of the unit vectors."""
    return lambda n: scipy.fft.dst(np.eye(n), type=kind, axis=0)


def hadamard(n: int) -> Array:
    """scipy.linalg.hadamard."""
    return scipy.linalg.hadamard(n).astype(float)


def sequency_hadamard(n: int) -> Array:
    """scipy.linalg.hadamard with rows by rising number of sign changes."""
    rows = hadamard(n)
    return rows[np.argsort(np.count_nonzero(np.diff(rows, axis=1), axis=1))]


def dyadic_hadamard(n: int) -> Array:
    """Row i is the product of the Rademacher functions of the bits of i.

    Function b changes sign 2^(b+1) − 1 times, each half as long as that of b − 1.
    """
    index = np.arange(n)
    rows = np.ones((n, n))
    for bit in range(n.bit_length() - 1):
        rademacher = (-1.0) ** (index // (n >> (bit + 1)))
        rows[(index >> bit & 1) == 1] *= rademacher
    return rows


def circulant(n: int) -> Array:
    """scipy.linalg.circulant."""
    return scipy.linalg.circulant(numbers(n))


def circular_convolution(n: int) -> Array:
    """Σ_s filter[s]·u[(t − s) mod n], one tap after the other."""
    matrix = np.zeros((n, n))
    for s, tap in enumerate(numbers(n)):
        matrix += tap * np.roll(np.eye(n), s, axis=0)
    return matrix


def causal_convolution(n: int) -> Array:
    """numpy.convolve of the unit vectors, cut to n."""
    return np.stack([np.convolve(numbers(n), unit)[:n] for unit in np.eye(n)], 1)


def toeplitz(n: int) -> Array:
    """scipy.linalg.toeplitz."""
    return scipy.linalg.toeplitz(numbers(n), numbers(n, 1))


def hankel(n: int) -> Array:
    """scipy.linalg.hankel."""
    return scipy.linalg.hankel(numbers(n), numbers(n, 1))


def permutation(n: int) -> Array:
    """Rows of the identity in the order of the permutation."""
    return np.eye(n)[example.shuffled(n)]


def bit_reversal(n: int) -> Array:
    """Rows of the identity by the reversed binary digits of their number."""
    digits = n.bit_length() - 1
    return np.eye(n)[[int(f"{i:0{digits}b}"[::-1], 2) for i in range(n)]]


def stride(n: int) -> Array:
    """Even rows of the identity, then odd ones."""
    return np.concatenate([np.eye(n)[::2], np.eye(n)[1::2]])


def sort(n: int) -> Array:
    """Column j has its 1 in the row of the number of keys below key j."""
    keys = numbers(n)
    return (np.arange(n)[:, None] == np.sum(keys[:, None] < keys, axis=0)).astype(float)


def selection(n: int) -> Array:
    """Rows of the identity by their sources."""
    return np.eye(n)[example.sources(n)]


def vandermonde(n: int) -> Array:
    """numpy.vander with rising powers."""
    return np.vander(example.nodes(n), increasing=True)


def haar(n: int) -> Array:
    """The averages of pairs transformed again, above their differences."""
    if n == 1:
        return np.ones((1, 1))
    pairs = np.eye(n // 2)
    return np.concatenate([np.kron(haar(n // 2), [1, 1]), np.kron(pairs, [1, -1])]) / np.sqrt(2)


def daubechies(n: int) -> Array:
    """Every second periodic correlation with Daubechies' four taps, level by level."""
    root = np.sqrt(3)
    taps = np.array([1 + root, 3 + root, 3 - root, 1 - root]) / (4 * np.sqrt(2))
    matrix, m = np.eye(n), n
    while m > 1:
        level = np.zeros((m, m))
        for i in range(m // 2):
            for k in range(4):
                level[i, (2 * i + k) % m] += taps[k]
                level[m // 2 + i, (2 * i + k) % m] += (-1) ** k * taps[3 - k]
        matrix[:m] = level @ matrix[:m]
        m //= 2
    return matrix


def sparse(n: int) -> Array:
    """The matrix itself."""
    return example.sparse(n)


def low_rank(n: int) -> Array:
    """The product of its two factors."""
    left, right = example.low_rank(n)
    return left @ right.T


def low_rank_plus_sparse(n: int) -> Array:
    """The sum of both."""
    return low_rank(n) + example.sparse(n)


def fastfood(n: int) -> Array:
    """The product of its dense factors."""
    scaling, gaussian, source, signs = example.fastfood(n)
    mixed = (hadamard(n) * gaussian) @ np.eye(n)[source] @ (hadamard(n) * signs)
    return scaling[:, None] * mixed / np.sqrt(n)


def acdc(n: int) -> Array:
    """The product of its dense factors, with scipy.fft's orthonormal DCT-II."""
    cosine = scipy.fft.dct(np.eye(n), norm="ortho", axis=0)
    return (cosine.T * numbers(n, 1)) @ (cosine * numbers(n))


def kronecker(n: int) -> Array:
    """numpy.kron."""
    rows, columns = example.grid(n)
    return np.kron(circulant(rows), dct(2)(columns))


def block_diagonal(n: int) -> Array:
    """scipy.linalg.block_diag."""
    return scipy.linalg.block_diag(permutation(n // 2), haar(n // 2))


def monarch(n: int) -> Array:
    """Entry by entry from the blocks."""
    left, right = example.monarch_blocks(n)
    return np.einsum("jlk,kji->ljki", left, right).reshape(n, n)


def inverse_butterfly(n: int) -> Array:
    """numpy.linalg.inv of the product of factors made of scipy.linalg.block_diag."""
    product = np.eye(n)
    for twiddle in example.twiddles(n):
        product = product @ scipy.linalg.block_diag(
            *(np.block([[np.diag(d) for d in row] for row in block]) for block in twiddle)
        )
    return np.linalg.inv(product)


def inverse_circulant(n: int) -> Array:
    """numpy.linalg.inv of scipy.linalg.circulant."""
    return np.linalg.inv(scipy.linalg.circulant(example.dominant(n)))
