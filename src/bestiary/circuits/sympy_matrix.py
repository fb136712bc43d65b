"""Entries of matrix expressions of sympy, as sums of products that are not multiplied out.

sympy's own ``as_explicit`` expands and simplifies every product, which takes seconds for a fourth
power of two rows.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestiary.circuits.number import shown
from bestiary.circuits.scans import tree
from bestiary.errors import UserError

LARGEST_DETERMINANT = 10
"""Rows; of n, there are n·2ⁿ⁻¹ products."""
Entries = NDArray[np.object_]


def entries_of(sympy: Any, expression: Any) -> Entries:
    """(rows, columns) of expressions. ``UserError`` for matrices of no fixed shape."""
    try:
        return _Explicit(sympy).entries(expression.doit())
    except (ValueError, TypeError, AttributeError):
        raise UserError(
            f"{shown(expression)} has no fixed shape; give its MatrixSymbols whole numbers of rows "
            "and columns"
        ) from None


def trace_of(sympy: Any, expression: Any) -> Any:
    """The sum of the diagonal."""
    return _Explicit(sympy).total(entries_of(sympy, expression).diagonal())


def determinant_of(sympy: Any, expression: Any) -> Any:
    """Σ over columns of the first row, of minors that are each made once."""
    matrix = entries_of(sympy, expression)
    explicit, n = _Explicit(sympy), len(matrix)
    if n > LARGEST_DETERMINANT:
        raise UserError(
            f"a determinant of {n} rows was asked for; up to {LARGEST_DETERMINANT} are taken "
            "(bestiary.circuits.library has larger ones)"
        )
    # By sets of columns, the determinants of as many last rows.
    minors: dict[tuple[int, ...], Any] = {(): sympy.S.One}
    for count in range(1, n + 1):
        row = matrix[n - count]
        minors = {
            columns: explicit.total(
                explicit.times(row[column], minors[_without(columns, place)], minus=place % 2 == 1)
                for place, column in enumerate(columns)
            )
            for columns in combinations(range(n), count)
        }
    return minors[tuple(range(n))]


def _without(columns: tuple[int, ...], place: int) -> tuple[int, ...]:
    return columns[:place] + columns[place + 1 :]


class _Explicit:
    """Products, powers and sums of matrices, each made once; others as sympy writes them out."""

    def __init__(self, sympy: Any) -> None:
        self.sympy = sympy
        self.known: dict[Any, Entries] = {}

    def entries(self, expression: Any) -> Entries:
        """The entries of an expression whose parts are carried out."""
        if expression not in self.known:
            self.known[expression] = self._made(expression)
        return self.known[expression]

    def _made(self, expression: Any) -> Entries:
        sympy = self.sympy
        if isinstance(expression, sympy.MatAdd):
            parts = np.stack([self.entries(part) for part in expression.args], axis=-1)
            return self._each(parts, self.total)
        if isinstance(expression, sympy.MatMul):
            factor, matrices = expression.as_coeff_matrices()
            product = tree(self._product, [self.entries(part) for part in matrices])
            return self._each(product[..., None], lambda entry: self.times(factor, entry[0]))
        if (
            isinstance(expression, sympy.MatPow)
            and expression.exp.is_Integer
            and expression.exp > 0
        ):
            return self._power(self.entries(expression.base), int(expression.exp))
        if isinstance(expression, sympy.Transpose):
            return self.entries(expression.arg).T
        return np.asarray(expression.as_explicit(), dtype=object)

    def _product(self, a: Entries, b: Entries) -> Entries:
        product = np.empty((len(a), b.shape[1]), dtype=object)
        for i, j in np.ndindex(product.shape):
            product[i, j] = self.total(map(self.times, a[i], b[:, j]))
        return product

    def _power(self, base: Entries, exponent: int) -> Entries:
        half = self._power(base, exponent // 2) if exponent > 1 else None
        square = base if half is None else self._product(half, half)
        return self._product(square, base) if exponent > 1 and exponent % 2 else square

    def _each(self, parts: Entries, combine: Any) -> Entries:
        """One entry of all along the last axis."""
        combined = np.empty(parts.shape[:-1], dtype=object)
        for at in np.ndindex(combined.shape):
            combined[at] = combine(parts[at])
        return combined

    def times(self, a: Any, b: Any, minus: bool = False) -> Any:
        """a · b, or −a · b, as it stands, but for factors that are 0 or 1."""
        factors = [factor for factor in (a, b) if factor != 1]
        if 0 in factors:
            return self.sympy.S.Zero
        if minus:
            # Sums take a factor of −1 in the first place as a difference.
            factors = [self.sympy.S.NegativeOne, *factors]
        if len(factors) < 2:
            return factors[0] if factors else self.sympy.S.One
        return self.sympy.Mul(*factors, evaluate=False)

    def total(self, terms: Any) -> Any:
        """The sum as it stands, but for zeros."""
        kept = [term for term in terms if term != 0]
        return kept[0] if len(kept) == 1 else self.sympy.Add(*kept, evaluate=False)
