"""The butterfly factor matrix B_k^(n): n/k blocks [[D1, D2], [D3, D4]] of four diagonals each.

Dao et al., "Kaleidoscope: An Efficient, Learnable Representation for All Structured Linear Maps",
2020, Definitions 2.1 and 2.2.
"""

from __future__ import annotations

import torch
from torch import Tensor

from bestiary.errors import UserError
from bestiary.operators.butterfly import apply_factor
from bestiary.structured.matrix import (
    check_entries,
    check_power_of_two,
)
from bestiary.structured.stored import Stored


class ButterflyFactor(Stored):
    """B_k^(n), block-diagonal with n/k factors of size k, each with its own diagonals.

    ``twiddle`` is (*stack, n/k, 2, 2, k/2): ``twiddle[..., b, i, j, p]`` is entry p of the
    diagonal in row i and column j of block b, so that

        y[b·k + i·k/2 + p] = Σ_j twiddle[b, i, j, p] · x[b·k + j·k/2 + p].

    The *block* axis counts the blocks of one matrix; *stack* axes, if any, count matrices that
    have nothing to do with each other. Transpose, conjugate and inverse are factors of the same
    size. Raises ``UserError`` for sizes that are not powers of two with 2 ≤ k ≤ n, a twiddle of
    another shape, and entries that are not finite or of another dtype than float32/64 and
    complex64/128.
    """

    _matrix_axes = 4

    def __init__(self, n: int, k: int, twiddle: Tensor) -> None:
        check_power_of_two(n, "the size n of a butterfly factor")
        check_power_of_two(k, "the block size k of a butterfly factor")
        if k > n:
            raise UserError(f"a butterfly factor of size k = {k} does not fit into n = {n}")
        shape = (n // k, 2, 2, k // 2)
        if tuple(twiddle.shape[-4:]) != shape:
            raise UserError(
                f"the twiddle of a factor with n = {n}, k = {k} has shape {tuple(twiddle.shape)} "
                f"(accepted: (*stack, {', '.join(map(str, shape))}))"
            )
        check_entries(twiddle, "the twiddle of a butterfly factor")
        self._k = k
        self._entries = twiddle

    @classmethod
    def identity(
        cls, n: int, k: int, dtype: torch.dtype = torch.float64, stack: tuple[int, ...] = ()
    ) -> ButterflyFactor:
        """The identity as a factor of size k."""
        check_power_of_two(n, "the size n of a butterfly factor")
        check_power_of_two(k, "the block size k of a butterfly factor")
        unit = torch.eye(2, dtype=dtype).reshape(2, 2, 1)
        return cls(n, k, unit.expand(*stack, n // k, 2, 2, k // 2).contiguous())

    @classmethod
    def from_packed(cls, k: int, packed: Tensor) -> ButterflyFactor:
        """The factor of a twiddle (*stack, 2, 2, n/2) whose last axis is (block, p), flattened."""
        half = packed.shape[-1]
        check_power_of_two(2 * half, "the size n of a butterfly factor")
        check_power_of_two(k, "the block size k of a butterfly factor")
        blocks = packed.unflatten(-1, (2 * half // k, k // 2))
        return cls(2 * half, k, blocks.movedim(-2, -4))

    def packed(self) -> Tensor:
        """The twiddle as (*stack, 2, 2, n/2), the same shape for every k."""
        return self._entries.movedim(-4, -2).flatten(-2)

    @property
    def n(self) -> int:
        """Rows, and columns."""
        return self._entries.shape[-4] * self._k

    @property
    def k(self) -> int:
        """The size of a block."""
        return self._k

    @property
    def blocks(self) -> int:
        """How many blocks there are, n/k."""
        return self._entries.shape[-4]

    @property
    def twiddle(self) -> Tensor:
        """(*stack, n/k, 2, 2, k/2)."""
        return self._entries

    def transpose(self) -> ButterflyFactor:
        """[[D1, D3], [D2, D4]] in every block."""
        return ButterflyFactor(self.n, self._k, self._entries.transpose(-3, -2))

    def adjoint(self) -> ButterflyFactor:
        """The conjugate transpose."""
        return self.conjugate().transpose()

    def inverse(self) -> ButterflyFactor:
        """[[D4, −D2], [−D3, D1]] / (D1·D4 − D2·D3); ``UserError`` with the block if singular.

        A block is taken for singular where the determinant is within rounding of 0.
        """
        (a, b), (c, d) = (
            (self._entries[..., i, 0, :], self._entries[..., i, 1, :]) for i in range(2)
        )
        determinant = a * d - b * c
        magnitude = (a * d).abs() + (b * c).abs()
        singular = determinant.abs() <= 4 * torch.finfo(self.dtype).eps * magnitude
        if bool(singular.any()):
            *member, block, p = (int(i) for i in singular.nonzero()[0])
            entries = self._entries[(*member, block)][..., p].tolist()
            of = f" of member {tuple(member)} of the stack" if member else ""
            raise UserError(
                f"block {block} of the butterfly factor of size {self._k}{of} is singular: "
                f"[[D1, D2], [D3, D4]] = {entries} at position {p} has determinant 0"
            )
        rows = (torch.stack([d, -b], -2), torch.stack([-c, a], -2))
        inverted = torch.stack(rows, -3) / determinant[..., None, None, :]
        return ButterflyFactor(self.n, self._k, inverted)

    def scale_rows(self, diagonal: Tensor) -> ButterflyFactor:
        """diag(diagonal) · B for a diagonal (n,): a factor of the same size."""
        rows = diagonal.reshape(self.blocks, 2, 1, self._k // 2)
        return ButterflyFactor(self.n, self._k, self._entries * rows)

    def scale_columns(self, diagonal: Tensor) -> ButterflyFactor:
        """B · diag(diagonal) for a diagonal (n,): a factor of the same size."""
        columns = diagonal.reshape(self.blocks, 1, 2, self._k // 2)
        return ButterflyFactor(self.n, self._k, self._entries * columns)

    def dense(self) -> Tensor:
        """All entries, (*stack, n, n), placed one by one as the definition says."""
        matrix = self._entries.new_zeros(self.shape)
        start = torch.arange(self.blocks, device=self.device)[:, None] * self._k
        at = start + torch.arange(self._k // 2, device=self.device)
        for i in range(2):
            for j in range(2):
                half = self._k // 2
                matrix[..., at + i * half, at + j * half] = self._entries[..., i, j, :]
        return matrix

    def _with(self, entries: Tensor) -> ButterflyFactor:
        return ButterflyFactor(self.n, self._k, entries)

    def _multiply(self, x: Tensor) -> Tensor:
        return apply_factor(x, self.packed(), self._k)

    def _sizes(self) -> str:
        return f"n={self.n}, k={self._k}"
