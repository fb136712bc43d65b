"""Monarch matrices: two block-diagonal matrices with a transposition of the index between them.

Dao et al., "Monarch: Expressive structured matrices for efficient and accurate training", 2022,
section 3. In the kaleidoscope hierarchy dense blocks of √n would need a width of about √n, so this
is a type of its own.
"""

from __future__ import annotations

import torch
from torch import Tensor

from bestiary.errors import UserError
from bestiary.structured.block_diagonal import BlockDiagonal
from bestiary.structured.matrix import StructuredMatrix
from bestiary.structured.permutation import Permutation
from bestiary.structured.product import Product


class Monarch(StructuredMatrix):
    """Pᵀ · L · P · R for n = p·q, R of p blocks of q and L of q blocks of p.

    P reads a p × q array, row by row, column by column: P[j·p + k, k·q + j] = 1. With ``left``
    (*stack, q, p, p) and ``right`` (*stack, p, q, q),

        M[l·q + j, k·q + i] = left[j, l, k] · right[k, j, i].

    Transpose and inverse are products of the same parts. Raises ``UserError`` for blocks that do
    not go together and entries that are not finite.
    """

    def __init__(self, left: Tensor, right: Tensor) -> None:
        dtype = torch.promote_types(left.dtype, right.dtype)
        self._left, self._right = BlockDiagonal(left.to(dtype)), BlockDiagonal(right.to(dtype))
        fits = self._left.count == self._right.block_size
        fits = fits and self._left.block_size == self._right.count
        if not fits or self._left.stack != self._right.stack:
            raise UserError(
                f"blocks of shapes {tuple(left.shape)} and {tuple(right.shape)} make no Monarch "
                "matrix (accepted: (*stack, q, p, p) and (*stack, p, q, q))"
            )

    @property
    def left(self) -> BlockDiagonal:
        """L, q blocks of p."""
        return self._left

    @property
    def right(self) -> BlockDiagonal:
        """R, p blocks of q, applied first."""
        return self._right

    @property
    def shuffle(self) -> Permutation:
        """P, which reads a p × q array column by column."""
        index = torch.arange(self.n, device=self.device)
        return Permutation(index.reshape(self.right.count, -1).T.flatten(), torch.float32)

    @property
    def n(self) -> int:
        """Rows, and columns."""
        return self._right.n

    @property
    def dtype(self) -> torch.dtype:
        """The dtype of the blocks."""
        return self._right.dtype

    @property
    def device(self) -> torch.device:
        """Where the blocks lie."""
        return self._right.device

    @property
    def stack(self) -> tuple[int, ...]:
        """The shape of the stack."""
        return self._right.stack

    @property
    def parameter_count(self) -> int:
        """n·(p + q) a matrix."""
        return self._left.parameter_count + self._right.parameter_count

    def count_nonzero(self) -> int:
        """Entries of the blocks that are not 0."""
        return self._left.count_nonzero() + self._right.count_nonzero()

    def parts(self) -> Product:
        """Pᵀ · L · P · R as a product."""
        return Product([self.shuffle.inverse(), self._left, self.shuffle, self._right])

    def transpose(self) -> Product:
        """Rᵀ · Pᵀ · Lᵀ · P."""
        return self.parts().transpose()

    def conjugate(self) -> Monarch:
        """The Monarch matrix of the conjugate blocks."""
        return Monarch(self._left.conjugate().blocks, self._right.conjugate().blocks)

    def inverse(self) -> Product:
        """R⁻¹ · Pᵀ · L⁻¹ · P; ``UserError`` with the block that is singular."""
        return self.parts().inverse()

    def to(self, target: torch.dtype | torch.device | str) -> Monarch:
        """The same matrix in another dtype or on another device."""
        return Monarch(self._left.to(target).blocks, self._right.to(target).blocks)

    def _multiply(self, x: Tensor) -> Tensor:
        p, q = self._right.count, self._right.block_size
        rows = self._right.apply(x).unflatten(-1, (p, q)).mT.flatten(-2)
        return self._left.apply(rows).unflatten(-1, (q, p)).mT.flatten(-2)

    def _sizes(self) -> str:
        return f"n={self.n}, p={self._right.count}, q={self._right.block_size}"
