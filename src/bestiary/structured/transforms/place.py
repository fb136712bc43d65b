"""Where a matrix stands in the kaleidoscope hierarchy."""

from __future__ import annotations

from dataclasses import dataclass

from bestiary.structured.butterfly import Butterfly
from bestiary.structured.kaleidoscope import Kaleidoscope
from bestiary.structured.matrix import StructuredMatrix


@dataclass(frozen=True)
class Place:
    """(BB*)^width_expansion, or B or B* alone, or a type that is outside of the hierarchy.

    ``str`` writes it as the papers do, leaving out a width or expansion of 1.
    """

    width: int = 1
    expansion: int = 1
    name: str = "BB*"

    def __str__(self) -> str:
        if self.name != "BB*" or (self.width, self.expansion) == (1, 1):
            return self.name
        power = f"^{self.width}" if self.width > 1 else ""
        return f"(BB*){power}" + (f"_{self.expansion}" if self.expansion > 1 else "")


def place_of(matrix: StructuredMatrix) -> Place:
    """The place by which a matrix is stored, an upper bound on where it stands."""
    if isinstance(matrix, Butterfly):
        return Place(name="B" if matrix.in_b else "B*")
    if isinstance(matrix, Kaleidoscope):
        return Place(matrix.width, matrix.expansion)
    return Place(name=type(matrix).__name__)
