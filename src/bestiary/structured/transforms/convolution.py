"""Circulant, Toeplitz and Hankel matrices: circular and causal convolution and their relatives.

A circulant is the inverse DFT of a diagonal of the DFT. As the DFT is F·R = R·Fᵀ, F in B and R the
bit reversal, it is (1/n)·conj(F)·(R·D·R)·Fᵀ: the bit reversals leave a diagonal, and the rest is
in BB*. A Toeplitz matrix is the corner of a circulant of twice the size.

Real matrices have complex twiddles here; their entries' imaginary parts are rounding.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from bestiary.errors import UserError
from bestiary.structured.kaleidoscope import Kaleidoscope
from bestiary.structured.permutation import Permutation
from bestiary.structured.transforms.arguments import holding, numbers
from bestiary.structured.transforms.fourier import cooley_tukey


def circulant(column: Any) -> Kaleidoscope:
    """The circulant C[i, j] = column[(i − j) mod n] in BB*; n a power of two.

    Multiplying by it is circular convolution with ``column``. A circulant of another size is no
    corner of a larger one: take ``toeplitz`` for it.
    """
    first = numbers(column, "the first column of a circulant")
    _check_circular(len(first), "a circulant")
    spectrum, forward = _spectrum(first), cooley_tukey(len(first))
    return Kaleidoscope((forward.conjugate().scale_columns(spectrum), forward.transpose()))


def circular_convolution(filter: Any) -> Kaleidoscope:
    """y[t] = Σ_s filter[s]·u[(t − s) mod n] in BB*; n a power of two. The ``circulant``."""
    return circulant(filter)


def anticirculant(row: Any) -> Kaleidoscope:
    """The matrix A[i, j] = row[(i + j) mod n] in BB*; n a power of two.

    It is a circulant after j → −j, which turns the DFT into its conjugate.
    """
    first = numbers(row, "the first row of an anticirculant")
    _check_circular(len(first), "an anticirculant")
    spectrum, backward = _spectrum(first), cooley_tukey(len(first)).conjugate()
    return Kaleidoscope((backward.scale_columns(spectrum), backward.transpose()))


def toeplitz(column: Any, row: Any = None) -> Kaleidoscope:
    """The Toeplitz matrix T[i, j] = column[i − j] for i ≥ j, row[j − i] above, in (BB*)_2.

    ``row[0]`` is not read; without ``row`` the matrix is symmetric, or Hermitian if complex, as
    with ``scipy.linalg.toeplitz``. Any n; it is the corner of a circulant of twice the power of
    two that holds n.
    """
    down = numbers(column, "the first column of a Toeplitz matrix")
    across = down.conj() if row is None else numbers(row, "the first row of a Toeplitz matrix")
    n = len(down)
    if len(across) != n:
        raise UserError(
            f"a Toeplitz matrix has a first column of {n} entries and a first row of "
            f"{len(across)}; it must be square"
        )
    dtype = torch.promote_types(down.dtype, across.dtype)
    wrapped = torch.zeros(2 * holding(n), dtype=dtype)
    wrapped[:n] = down
    if n > 1:
        wrapped[1 - n :] = across[1:].flip(0)
    return Kaleidoscope(circulant(wrapped).butterflies, n)


def causal_convolution(filter: Any) -> Kaleidoscope:
    """y[t] = Σ_{s ≤ t} filter[s]·u[t − s] in (BB*)_2, a lower triangular Toeplitz matrix; any n."""
    taps = numbers(filter, "the filter of a causal convolution")
    return toeplitz(taps, torch.zeros_like(taps))


def hankel(column: Any, row: Any = None) -> Kaleidoscope:
    """The Hankel matrix H[i, j] = column[i + j] for i + j < n, else row[i + j − n + 1], in (BB*)_2.

    ``row`` is the last row; its first entry is not read; without it those entries are 0, as with
    ``scipy.linalg.hankel``. Any n.
    """
    down = numbers(column, "the first column of a Hankel matrix")
    last = (
        torch.zeros_like(down) if row is None else numbers(row, "the last row of a Hankel matrix")
    )
    n = len(down)
    if len(last) != n:
        raise UserError(
            f"a Hankel matrix has a first column of {n} entries and a last row of {len(last)}; "
            "it must be square"
        )
    sums = torch.zeros(2 * holding(n), dtype=torch.promote_types(down.dtype, last.dtype))
    sums[:n], sums[n : 2 * n - 1] = down, last[1:]
    return Kaleidoscope(anticirculant(sums).butterflies, n)


def _spectrum(first: Tensor) -> Tensor:
    """The eigenvalues over n, in bit-reversed order."""
    spectrum = torch.fft.fft(first.to(torch.complex128)) / len(first)
    return spectrum[Permutation.bit_reversal(len(first)).source]


def _check_circular(n: int, what: str) -> None:
    if n < 2 or n & (n - 1):
        raise UserError(
            f"{what} of size {n} cannot be padded to a power of two, since it wraps around at {n}; "
            "as a Toeplitz or Hankel matrix it can be"
        )
