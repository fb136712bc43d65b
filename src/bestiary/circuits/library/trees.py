"""Sums, products and other folds as balanced trees, and products of matrices from them."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestiary.circuits.scans import tree
from bestiary.circuits.symbol import Symbol

Vector = Sequence[Any] | NDArray[Any]
"""Numbers and symbols in order."""
Array = NDArray[Any]
"""An array of symbols and numbers."""


def total(terms: Iterable[Any]) -> Any:
    """The sum as a balanced tree of the terms that are not the constant 0."""
    moving = [term for term in terms if not is_zero(term)]
    return tree(operator.add, moving) if moving else 0


def product(factors: Iterable[Any]) -> Any:
    """The product as a balanced tree; 1 of no factors."""
    row = list(factors)
    return tree(operator.mul, row) if row else 1


def inner(left: Iterable[Any], right: Iterable[Any]) -> Any:
    """Σ left·right, one product deep."""
    pairs = zip(left, right, strict=True)
    return total([a * b for a, b in pairs if not (is_zero(a) or is_zero(b))])


def matmul(left: Array, right: Array) -> Array:
    """The product of two matrices or of a matrix and a vector; zeros cost nothing.

    Unlike numpy's, its sums are balanced trees.
    """
    columns = [_moving(column) for column in right.reshape(len(right), -1).T]
    rows = [_moving(row) for row in np.atleast_2d(left)]
    found = filled((len(rows), len(columns)), 0)
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            terms = [entry * column[k] for k, entry in row.items() if k in column]
            if terms:
                found[i, j] = tree(operator.add, terms)
    return found.reshape(left.shape[:-1] + right.shape[1:])


def _moving(vector: Array) -> dict[int, Any]:
    """The entries that are not the constant 0, by their place."""
    return {k: entry for k, entry in enumerate(vector.tolist()) if not is_zero(entry)}


def powers(base: Any, highest: int) -> list[Any]:
    """base, base², …, base^highest, the j-th of multiplicative depth ⌈log2 j⌉."""
    found = [base]
    for j in range(2, highest + 1):
        found.append(found[(j + 1) // 2 - 1] * found[j // 2 - 1])
    return found


def is_zero(value: Any) -> bool:
    """Whether this is the constant 0, so that products with it and its additions vanish."""
    if isinstance(value, Symbol):
        value = value.builder.value(value.gate)
    return isinstance(value, int) and value == 0


def filled(shape: int | Sequence[int], value: Any) -> Array:
    """An array for symbols, every entry ``value`` to begin with."""
    return np.full(shape, value, dtype=object)


def listed(values: Iterable[Any]) -> Array:
    """A vector of symbols and numbers."""
    items = list(values)
    found = np.empty(len(items), dtype=object)
    found[:] = items
    return found
