"""Diagonal matrices."""

from __future__ import annotations

from torch import Tensor

from bestiary.errors import UserError
from bestiary.structured.matrix import PRODUCTS, StructuredMatrix, check_entries
from bestiary.structured.stored import Stored


class Diagonal(Stored):
    """diag(entries), for entries (*stack, n) that are finite; ``UserError`` otherwise."""

    _matrix_axes = 1

    def __init__(self, entries: Tensor) -> None:
        if entries.dim() < 1 or entries.shape[-1] < 1:
            raise UserError(f"a diagonal of shape {tuple(entries.shape)} (accepted: (*stack, n))")
        check_entries(entries, "a diagonal")
        self._entries = entries

    @property
    def entries(self) -> Tensor:
        """(*stack, n)."""
        return self._entries

    @property
    def n(self) -> int:
        """Rows, and columns."""
        return self._entries.shape[-1]

    def transpose(self) -> Diagonal:
        """The same matrix."""
        return self

    def inverse(self) -> Diagonal:
        """The diagonal of reciprocals; ``UserError`` with the place of a 0."""
        zeros = (self._entries == 0).nonzero()
        if len(zeros):
            place = tuple(int(i) for i in zeros[0])
            raise UserError(f"the diagonal is 0 at {place}, so that the matrix is singular")
        return Diagonal(1 / self._entries)

    def _with(self, entries: Tensor) -> Diagonal:
        return Diagonal(entries)

    def _multiply(self, x: Tensor) -> Tensor:
        return self._entries * x


def _product(left: StructuredMatrix, right: StructuredMatrix) -> Diagonal | None:
    if not (isinstance(left, Diagonal) and isinstance(right, Diagonal)):
        return None
    same = (left.n, left.stack) == (right.n, right.stack)
    return Diagonal(left.entries * right.entries) if same else None


PRODUCTS.append(_product)
