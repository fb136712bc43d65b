"""One structure that a matrix may have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bestiary.structured.matrix import StructuredMatrix


@dataclass(frozen=True)
class Candidate:
    """The nearest matrix found of a ``kind``, with ``residual`` ‖A − M‖ / ‖A‖ (Frobenius).

    ``parameters`` is how many numbers the kind needs, the measure of what is cheapest; ``build``
    makes the member. ``detail`` says more, as "rank 3".
    """

    kind: str
    residual: float
    parameters: int
    build: Callable[[], StructuredMatrix]
    detail: str = ""

    def __str__(self) -> str:
        detail = f" ({self.detail})" if self.detail else ""
        return f"{self.kind}{detail}, residual {self.residual:.1e}"
