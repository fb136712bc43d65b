"""Block-diagonal matrices of dense blocks."""

from __future__ import annotations

import torch
from torch import Tensor

from bestiary.errors import UserError
from bestiary.structured.matrix import check_entries
from bestiary.structured.stored import Stored


class BlockDiagonal(Stored):
    """Dense blocks of one size along the diagonal; ``blocks`` is (*stack, count, size, size).

    Raises ``UserError`` for blocks that are not square, and entries that are not finite.
    """

    _matrix_axes = 3

    def __init__(self, blocks: Tensor) -> None:
        if blocks.dim() < 3 or blocks.shape[-1] != blocks.shape[-2] or 0 in blocks.shape:
            raise UserError(
                f"the blocks of a block-diagonal matrix have shape {tuple(blocks.shape)} "
                "(accepted: (*stack, count, size, size))"
            )
        check_entries(blocks, "a block-diagonal matrix")
        self._entries = blocks

    @property
    def blocks(self) -> Tensor:
        """(*stack, count, size, size)."""
        return self._entries

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return self._entries.shape[-3]

    @property
    def block_size(self) -> int:
        """Rows, and columns, of a block."""
        return self._entries.shape[-1]

    @property
    def n(self) -> int:
        """Rows, and columns, of the matrix."""
        return self.count * self.block_size

    def transpose(self) -> BlockDiagonal:
        """The transposed blocks."""
        return BlockDiagonal(self._entries.mT)

    def inverse(self) -> BlockDiagonal:
        """The inverse blocks; ``UserError`` with the block that is singular within rounding."""
        rank = torch.linalg.matrix_rank(self._entries)
        short = (rank < self.block_size).nonzero()
        if len(short):
            *member, block = (int(i) for i in short[0])
            of = f" of member {tuple(member)} of the stack" if member else ""
            raise UserError(
                f"block {block}{of} of the block-diagonal matrix is singular: its rank is "
                f"{int(rank[(*member, block)])} of {self.block_size}"
            )
        return BlockDiagonal(torch.linalg.inv(self._entries))

    def _with(self, entries: Tensor) -> BlockDiagonal:
        return BlockDiagonal(entries)

    def _multiply(self, x: Tensor) -> Tensor:
        parts = x.unflatten(-1, (self.count, self.block_size))
        return (self._entries.to(x.dtype) @ parts[..., None]).flatten(-3)

    def _sizes(self) -> str:
        return f"n={self.n}, {self.count} blocks of {self.block_size}"
