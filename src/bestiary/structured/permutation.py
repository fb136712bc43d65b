"""Permutation matrices."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from bestiary.errors import UserError
from bestiary.structured.matrix import PRODUCTS, StructuredMatrix, check_cast, check_power_of_two


class Permutation(StructuredMatrix):
    """The matrix P with P[i, source[i]] = 1: y[i] = x[source[i]], a gather.

    ``source`` holds each of 0 … n − 1 once. P·Q gathers by ``Q.source[P.source]``; the transpose
    is the inverse. ``dtype`` is that of ``dense()``; multiplying leaves a wider dtype as it is.
    Raises ``UserError`` for a source that is no permutation.
    """

    def __init__(self, source: Sequence[int] | Tensor, dtype: torch.dtype = torch.float32) -> None:
        indices = torch.as_tensor(source)
        if indices.dim() != 1 or indices.numel() == 0 or indices.is_floating_point():
            raise UserError(f"a permutation of shape {tuple(indices.shape)} is no list of indices")
        indices = indices.long()
        expected = torch.arange(len(indices), device=indices.device)
        if not torch.equal(indices.sort().values, expected):
            values = indices.tolist()
            wrong = next(i for i in values if not 0 <= i < len(values) or values.count(i) > 1)
            raise UserError(
                f"a permutation of {len(values)} has the index {wrong} "
                f"{'twice' if values.count(wrong) > 1 else 'out of range'}; "
                f"each of 0 to {len(values) - 1} must be there once"
            )
        self._source = indices
        self._dtype = dtype

    @classmethod
    def identity(cls, n: int) -> Permutation:
        """y = x."""
        return cls(torch.arange(n))

    @classmethod
    def bit_reversal(cls, n: int) -> Permutation:
        """y[i] = x[j], j being i with its log2 n bits in the opposite order; its own inverse."""
        check_power_of_two(n, "the size of a bit reversal", least=1)
        order = torch.zeros(1, dtype=torch.long)
        while len(order) < n:
            order = torch.cat([2 * order, 2 * order + 1])
        return cls(order)

    @property
    def source(self) -> Tensor:
        """(n,) of int64: where each output comes from."""
        return self._source

    @property
    def n(self) -> int:
        """Rows, and columns."""
        return len(self._source)

    @property
    def dtype(self) -> torch.dtype:
        """The dtype of ``dense()``."""
        return self._dtype

    @property
    def device(self) -> torch.device:
        """Where the indices lie."""
        return self._source.device

    @property
    def stack(self) -> tuple[int, ...]:
        """A permutation is single."""
        return ()

    @property
    def parameter_count(self) -> int:
        """0: a permutation has indices and no numbers."""
        return 0

    def count_nonzero(self) -> int:
        """0, as there are no stored numbers."""
        return 0

    def transpose(self) -> Permutation:
        """The inverse permutation."""
        return Permutation(self._source.argsort(), self._dtype)

    def conjugate(self) -> Permutation:
        """The same permutation."""
        return self

    def inverse(self) -> Permutation:
        """The inverse permutation."""
        return self.transpose()

    def to(self, target: torch.dtype | torch.device | str) -> Permutation:
        """With another dtype of ``dense()``, or on another device."""
        check_cast(self._dtype, target)
        if isinstance(target, torch.dtype):
            return Permutation(self._source, target)
        return Permutation(self._source.to(target), self._dtype)

    def _multiply(self, x: Tensor) -> Tensor:
        return x[..., self._source]


def _product(left: StructuredMatrix, right: StructuredMatrix) -> Permutation | None:
    if not (isinstance(left, Permutation) and isinstance(right, Permutation) and left.n == right.n):
        return None
    dtype = torch.promote_types(left.dtype, right.dtype)
    return Permutation(right.source[left.source], dtype)


PRODUCTS.append(_product)
