"""Find the cheapest structure that a dense matrix has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bestiary.errors import UserError, counted
from bestiary.structured.fitting.fit import largest_part
from bestiary.structured.matrix import StructuredMatrix
from bestiary.structured.recognition import diagonals, factored, named
from bestiary.structured.recognition.candidate import Candidate
from bestiary.structured.transforms.arguments import square

LEAST, MOST = 1e-290, 1e290
"""Of the largest entry, where ranks are told: smaller ones have too few digits, and sums of larger
ones are infinite."""


@dataclass(frozen=True)
class Recognition:
    """The structure of a matrix: ``kind``, its member, and how far that is from the matrix.

    ``kind`` is one of diagonal, permutation, selection, transform (a named one), circulant,
    anticirculant, toeplitz, hankel, butterfly, kaleidoscope, kronecker, low-rank, sparse, monarch,
    or none, with ``matrix`` None. ``residual`` is ‖A − M‖ / ‖A‖ in Frobenius norm, of the nearest
    candidate for none. ``tried`` are all candidates, nearest first.
    """

    kind: str
    detail: str
    matrix: StructuredMatrix | None
    residual: float
    parameters: int
    tolerance: float
    tried: tuple[Candidate, ...]

    def __str__(self) -> str:
        if self.matrix is None:
            near = f"; nearest is {self.tried[0]}" if self.tried else ""
            return f"no structure within {self.tolerance:.0e}{near}"
        detail = f" ({self.detail})" if self.detail else ""
        # A permutation or a named transform takes none.
        numbers = f" of {counted(self.parameters, 'number')}" if self.parameters else ""
        told = f"{self.kind}{detail}{numbers}"
        return f"{told}, residual {self.residual:.1e}"


def recognise(matrix: Any, tolerance: float | None = None) -> Recognition:
    """The structure that takes the fewest numbers among those within ``tolerance``.

    ``tolerance`` bounds ‖A − M‖ / ‖A‖ and is 1e-10, or 1e-5 for a matrix in single precision,
    unless given. Structures of more numbers than the matrix itself count as none. O(n²·log n), and
    O(n³) for the rank up to n = 1024. Members of BB* in special position may be missed. Raises
    ``UserError`` for what is not a square matrix of finite numbers, and where ranks have
    to be told of one whose largest entry is not from ``LEAST`` to ``MOST`` in size.
    """
    dense = square(matrix, "the matrix to recognise")
    limit = _default_tolerance(matrix) if tolerance is None else tolerance
    if not 0 <= limit < 1:
        raise UserError(f"the tolerance {limit} is not between 0 and 1, as a relative error is")
    tried: list[Candidate] = []
    for stage in _stages(dense, limit):
        tried += stage
        within = [found for found in tried if found.residual <= limit]
        cheap = [found for found in within if found.parameters <= len(dense)]
        if cheap:
            return _recognition(min(cheap, key=lambda c: c.parameters), limit, tried)
    within = [found for found in within if found.parameters <= dense.numel()]
    if not within:
        _check_size(dense)
    best = min(within, key=lambda c: c.parameters) if within else None
    return _recognition(best, limit, tried)


def _stages(dense: Tensor, tolerance: float) -> Iterator[Iterator[Candidate]]:
    """Candidates from the ones of fewest numbers on; later stages are looked at by need."""
    yield diagonals.entrywise(dense)
    yield diagonals.constant_along_diagonals(dense)
    yield named.named_transforms(dense, tolerance)
    if not _can_tell(dense):
        return
    yield factored.of_few_entries(dense)
    yield factored.of_low_rank(dense, tolerance)
    yield factored.kronecker_product(dense, lambda part: recognise(part, tolerance).matrix)
    yield factored.butterflies(dense)
    yield factored.monarch(dense)


def _can_tell(dense: Tensor) -> bool:
    """Whether ranks can be told."""
    largest = largest_part(dense)
    return largest == 0 or LEAST <= largest <= MOST


def _check_size(dense: Tensor) -> None:
    """``UserError`` where they cannot."""
    if not _can_tell(dense):
        raise UserError(
            f"the largest entry of the matrix to recognise is {largest_part(dense):.2g} in size; "
            f"float64 keeps the digits of its products from {LEAST:.0e} to {MOST:.0e}, so scale it"
        )


def _recognition(found: Candidate | None, tolerance: float, tried: list[Candidate]) -> Recognition:
    nearest = tuple(sorted(tried, key=lambda candidate: candidate.residual))
    if found is None:
        # Sparse and low-rank forms of everything are no structure, however near.
        near = tuple(c for c in nearest if c.residual > tolerance)
        residual = near[0].residual if near else float("inf")
        return Recognition("none", "", None, residual, 0, tolerance, near)
    return Recognition(
        found.kind,
        found.detail,
        found.build(),
        found.residual,
        found.parameters,
        tolerance,
        nearest,
    )


def _default_tolerance(matrix: Any) -> float:
    single = (np.float32, np.complex64, torch.float32, torch.complex64)
    return 1e-5 if getattr(matrix, "dtype", None) in single else 1e-10
