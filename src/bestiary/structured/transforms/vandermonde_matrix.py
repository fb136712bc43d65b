"""Vandermonde matrices of geometric nodes, and the DFT of any size, which is one of them.

Bluestein, "A linear filtering approach to the computation of the discrete Fourier transform",
1970: ij = (i² + j² − (i − j)²)/2 makes q^(ij) a diagonal, a Toeplitz matrix and a diagonal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bestiary.errors import UserError
from bestiary.structured.kaleidoscope import Kaleidoscope
from bestiary.structured.transforms.arguments import numbers
from bestiary.structured.transforms.convolution import toeplitz

TOLERANCE = 1e-10
"""The largest error, relative to the largest entry, at which a factorisation is handed out."""


def vandermonde(nodes: Any) -> Kaleidoscope:
    """V[i, j] = nodes[i]^j for geometric nodes, nodes[i] = a·q^i, in (BB*)_2; any n.

    As ``numpy.vander(nodes, increasing=True)``. Raises ``UserError`` for other nodes, for which no
    such factorisation is stable, and for |q| so far from 1 that it would lose digits.
    """
    points = numbers(nodes, "the nodes of a Vandermonde matrix").to(torch.complex128).numpy()
    if not points.all():
        raise UserError("a node of the Vandermonde matrix is 0; geometric nodes are not")
    step = _log_ratio(points)
    index = np.arange(len(points))
    expected = points[0] * np.exp(step * index)
    if (np.abs(points - expected) > 1e-13 * len(points) * np.abs(points)).any():
        continued = points[0] * (points[1] / points[0]) ** index
        place = np.argmax(np.abs(points / continued - 1))
        raise UserError(
            f"node {place} of the Vandermonde matrix is {points[place]:.6g} where geometric nodes "
            f"have {continued[place]:.6g}; other nodes are refused, as no factorisation is stable "
            "for them"
        )
    square, start = step * index**2 / 2, np.log(points[0].astype(np.clongdouble))
    exponents = square, -square, start * index + square
    # Rounding is relative to the largest terms, the error wanted to the largest power of a node.
    largest = sum(float(exponent.real.max()) for exponent in exponents)
    entry = float(np.log(np.abs(points)).max()) * (len(points) - 1)
    lost = largest - max(0.0, entry)
    if lost + np.log(np.finfo(np.float64).eps) > np.log(TOLERANCE) or largest > 700:
        raise UserError(
            f"{len(points)} geometric nodes whose ratio has modulus {np.exp(step.real):.6g} need "
            f"terms of 10^{largest / np.log(10):.0f}, which would drown the entries in rounding "
            "(accepted: moduli nearer to 1, or fewer nodes)"
        )
    row, band, column = (
        torch.from_numpy(np.exp(exponent).astype(np.complex128)) for exponent in exponents
    )
    return _chirped(row, band, column)


def _log_ratio(points: NDArray[np.complex128]) -> np.clongdouble:
    """The logarithm of q, as exact as the nodes tell it; squares of indices magnify its error."""
    if len(points) == 1:
        return np.clongdouble(0)
    ratios = points[1:].astype(np.clongdouble) / points[:-1]
    return np.log(ratios[0]) + np.log(ratios / ratios[0]).mean()


def chirp_dft(n: int) -> Kaleidoscope:
    """The DFT of any size n, as ``numpy.fft.fft``, in (BB*)_2.

    The same matrix as ``dft`` where n is a power of two, with half the butterflies at twice the
    size.
    """
    if n < 1:
        raise UserError(f"a Fourier transform has size {n}; it must be at least 1")
    index = torch.arange(n)
    chirp = torch.exp(-1j * torch.pi * (index**2 % (2 * n)).double() / n)
    return _chirped(chirp, chirp.conj(), chirp)


def _chirped(row: Tensor, band: Tensor, column: Tensor) -> Kaleidoscope:
    """diag(row) · the symmetric Toeplitz matrix of ``band`` · diag(column)."""
    middle = toeplitz(band, band)
    scales = torch.zeros(2, middle.size, dtype=torch.complex128)
    scales[0, : len(row)], scales[1, : len(row)] = row, column
    first, last = middle.butterflies
    return Kaleidoscope((first.scale_rows(scales[0]), last.scale_columns(scales[1])), middle.n)
