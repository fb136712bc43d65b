"""What fitting gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

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
    """‖dense − fitted‖ / ‖dense‖ in Frobenius norm; 0 where both are 0."""
    whole, missed = float(dense.norm()), float((dense - fitted).norm())
    if whole == 0:
        return 0.0 if missed == 0 else float("inf")
    return missed / whole
