"""Diagonal matrices."""

from __future__ import annotations

import torch
from torch import Tensor

from bestiary.errors import UserError
from bestiary.structured.matrix import StructuredMatrix, check_cast, check_entries


class Diagonal(StructuredMatrix):
    """diag(entries), for entries (*stack, n) that are finite; ``UserError`` otherwise."""

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

    @property
    def dtype(self) -> torch.dtype:
        """The dtype of the entries."""
        return self._entries.dtype

    @property
    def device(self) -> torch.device:
        """Where the entries lie."""
        return self._entries.device

    @property
    def stack(self) -> tuple[int, ...]:
        """The shape of the stack."""
        return tuple(self._entries.shape[:-1])

    @property
    def parameter_count(self) -> int:
        """n a matrix."""
        return self._entries.numel()

    def count_nonzero(self) -> int:
        """Entries that are not 0."""
        return int(torch.count_nonzero(self._entries.detach()))

    def transpose(self) -> Diagonal:
        """The same matrix."""
        return self

    def conjugate(self) -> Diagonal:
        """The diagonal of the conjugate entries."""
        return Diagonal(self._entries.conj().resolve_conj())

    def inverse(self) -> Diagonal:
        """The diagonal of reciprocals; ``UserError`` with the place of a 0."""
        zeros = (self._entries == 0).nonzero()
        if len(zeros):
            place = tuple(int(i) for i in zeros[0])
            raise UserError(f"the diagonal is 0 at {place}, so that the matrix is singular")
        return Diagonal(1 / self._entries)

    def to(self, target: torch.dtype | torch.device | str) -> Diagonal:
        """The same diagonal in another dtype or on another device."""
        check_cast(self.dtype, target)
        return Diagonal(self._entries.to(target))

    def _multiply(self, x: Tensor) -> Tensor:
        return self._entries * x

    def _times(self, other: StructuredMatrix) -> StructuredMatrix:
        if isinstance(other, Diagonal) and (other.n, other.stack) == (self.n, self.stack):
            return Diagonal(self._entries * other.entries)
        return super()._times(other)
