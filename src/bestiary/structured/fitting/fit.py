"""What fitting gives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Generic, TypeVar

import torch
from torch import Tensor

from bestiary.structured.matrix import StructuredMatrix

M_co = TypeVar("M_co", bound=StructuredMatrix, covariant=True)


@dataclass(frozen=True)
class Fit(Generic[M_co]):
    """``matrix`` stands for a dense one up to ``residual``, ‖A − M‖ / ‖A‖ in Frobenius norm.

    The residual is 0 for A = M = 0.
    """

    matrix: M_co
    residual: float


def residual_of(dense: Tensor, fitted: Tensor) -> float:
    """‖dense − fitted‖ / ‖dense‖ in Frobenius norm; 0 where both are 0, inf for no number.

    For entries of any size: they are scaled by powers of two, so that no square leaves float64.
    """
    exponent = -size_exponent(dense)
    whole, near = times_power(dense, exponent), times_power(fitted, exponent)
    norm, missed = float(whole.norm()), float((whole - near).norm())
    if norm == 0:
        return 0.0 if missed == 0 else math.inf
    return math.inf if math.isnan(missed) else missed / norm


def size_exponent(matrix: Tensor) -> int:
    """The power of two next above the largest part; 0 where all are 0."""
    return math.frexp(largest_part(matrix))[1]


def times_power(matrix: Tensor, exponent: int) -> Tensor:
    """2^exponent · matrix, without rounding inside of float64's normal numbers."""
    # In two steps: for the least numbers of float64 the whole factor would be infinite.
    return matrix * 2.0 ** (exponent // 2) * 2.0 ** (exponent - exponent // 2)


def largest_part(matrix: Tensor) -> float:
    """The largest |entry|, of real and imaginary parts apart."""
    parts = torch.view_as_real(matrix.resolve_conj()) if matrix.is_complex() else matrix
    return float(parts.abs().max())
