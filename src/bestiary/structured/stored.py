"""Structured matrices whose numbers lie in one tensor."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Self

import torch
from torch import Tensor

from bestiary.structured.matrix import StructuredMatrix, check_cast


class Stored(StructuredMatrix):
    """What follows from ``_entries`` alone, (*stack, …), ``_matrix_axes`` of which are one matrix.

    ``_with`` makes the same kind of matrix of other entries.
    """

    _matrix_axes: ClassVar[int]
    _entries: Tensor

    @abstractmethod
    def _with(self, entries: Tensor) -> Self:
        """The same matrix but for its entries."""

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
        return tuple(self._entries.shape[: -self._matrix_axes])

    @property
    def parameter_count(self) -> int:
        """Numbers of all members of the stack."""
        return self._entries.numel()

    def count_nonzero(self) -> int:
        """Entries that are not 0."""
        return int(torch.count_nonzero(self._entries.detach()))

    def conjugate(self) -> Self:
        """The matrix of the conjugate entries."""
        return self._with(self._entries.conj().resolve_conj())

    def to(self, target: torch.dtype | torch.device | str) -> Self:
        """The same matrix in another dtype or on another device."""
        check_cast(self.dtype, target)
        return self._with(self._entries.to(target))
