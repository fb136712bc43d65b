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

from bestiary.structured.transforms.example import numbers, shuffled
from bestiary.structured.transforms.example import stride as stride_source

Array = NDArray[Any]


def grid(n: int) -> tuple[int, int]:
    """The rows and columns of the array of n that 2-D transforms are shown with."""
    rows = 1 << (n.bit_length() - 1) // 2
    return rows, n // rows


def dft(n: int) -> Array:
    """numpy.fft.fft of the unit vectors."""
    return np.fft.fft(np.eye(n), axis=0)


def inverse_dft(n: int) -> Array:
    """numpy.fft.ifft of the unit vectors."""
    return np.fft.ifft(np.eye(n), axis=0)


def dft_2d(n: int) -> Array:
    """numpy.fft.fft2 of the unit arrays, read row by row."""
    units = np.eye(n).reshape(n, *grid(n))
    return np.fft.fft2(units).reshape(n, n).T


def hartley(n: int) -> Array:
    """cos(2πkj/n) + sin(2πkj/n)."""
    angle = 2 * np.pi * (np.outer(np.arange(n), np.arange(n)) % n) / n
    return np.cos(angle) + np.sin(angle)


def real_dft(n: int) -> Array:
    """numpy.fft.rfft, real and imaginary parts one after the other without those that are 0."""
    spectrum = np.fft.rfft(np.eye(n), axis=0)
    parts = np.stack([spectrum.real, spectrum.imag], 1).reshape(-1, n)
    return np.delete(parts, [1, len(parts) - 1], axis=0)


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
    return np.eye(n)[shuffled(n)]


def bit_reversal(n: int) -> Array:
    """Rows of the identity by the reversed binary digits of their number."""
    digits = n.bit_length() - 1
    return np.eye(n)[[int(f"{i:0{digits}b}"[::-1], 2) for i in range(n)]]


def stride(n: int) -> Array:
    """Even rows of the identity, then odd ones."""
    return np.eye(n)[stride_source(n)]


def sort(n: int) -> Array:
    """Column j has its 1 in the row of the number of keys below key j."""
    keys = numbers(n)
    return (np.arange(n)[:, None] == np.sum(keys[:, None] < keys, axis=0)).astype(float)
