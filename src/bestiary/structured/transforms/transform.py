"""What a named transform is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestiary.structured.matrix import StructuredMatrix
from bestiary.structured.transforms.place import Place


@dataclass(frozen=True)
class Transform:
    """A transform that can be asked for by name.

    ``make(n)`` gives the n×n member; ``reference(n)`` the same matrix, dense, by numpy and scipy
    or straight from the definition. ``place`` is where ``make`` puts it, a function of n where it
    depends on that; ``is_complex`` whether the matrix has complex entries (a real matrix may have
    complex twiddles). ``size(n)`` is the size nearest to a power of two n that there is.
    """

    name: str
    description: str
    make: Callable[[int], StructuredMatrix]
    reference: Callable[[int], NDArray[np.generic]]
    place: Place | Callable[[int], Place]
    is_complex: bool = False
    size: Callable[[int], int] = int

    def expected_place(self, n: int) -> Place:
        """Where the transform of size n must stand."""
        return self.place if isinstance(self.place, Place) else self.place(n)
