"""The kaleidoscope hierarchy (BB*)^w_e: products of 2w butterflies, cut to a corner.

Dao et al., "Kaleidoscope", 2020, Definition 2.4: BB* are the matrices M1 M2* with M1, M2 in B;
(BB*)^w the products of w of those; (BB*)^w_e the upper left n×n corners of en×en members of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import pad

from bestiary.errors import UserError
from bestiary.operators.butterfly import Order, multiply
from bestiary.structured.butterfly import Butterfly
from bestiary.structured.matrix import PRODUCTS, StructuredMatrix


class Kaleidoscope(StructuredMatrix):
    """The upper left n×n corner of M1 M2* M3 M4* ···, with M1, M3, … in B and M2*, M4*, … in B*.

    ``butterflies`` are the 2w members in written order, alternately of B and B*, all of one
    ``size``, stack, and brought to one dtype. ``n`` is the size of the corner, any number up to
    ``size``, which it is by default; vectors of n are padded with zeros to ``size``. ``width`` is
    w and ``expansion`` is e, ``size`` over the smallest power of two that holds n.

    Closed under products (of equal n), transpose and conjugate; with n = size also under inverse.
    Raises ``UserError`` for an odd number of butterflies, a wrong order, and sizes that differ.
    """

    def __init__(self, butterflies: Sequence[Butterfly], n: int | None = None) -> None:
        if not butterflies or len(butterflies) % 2:
            raise UserError(
                f"a kaleidoscope is a product of pairs M1 M2*, an even number of butterflies; "
                f"got {len(butterflies)}"
            )
        first = butterflies[0]
        dtype = first.dtype
        for place, butterfly in enumerate(butterflies):
            if (butterfly.n, butterfly.stack) != (first.n, first.stack):
                raise UserError(
                    f"the butterflies {first} and {butterfly} of a kaleidoscope differ in n or "
                    "in their stack"
                )
            if not (butterfly.in_b_star if place % 2 else butterfly.in_b):
                raise UserError(
                    f"butterfly {place} of a kaleidoscope is {butterfly}; it must be a member of "
                    f"{'B*' if place % 2 else 'B'}"
                )
            dtype = torch.promote_types(dtype, butterfly.dtype)
        self._n = first.n if n is None else n
        if not 1 <= self._n <= first.n:
            raise UserError(f"n is {n}; the corner of a size {first.n} kaleidoscope is 1 to that")
        self._butterflies = tuple(b if b.dtype == dtype else b.to(dtype) for b in butterflies)

    @classmethod
    def of(cls, matrix: Butterfly | Kaleidoscope) -> Kaleidoscope:
        """A butterfly as a member of BB*, the other half being the identity."""
        if isinstance(matrix, Kaleidoscope):
            return matrix
        unit = Butterfly.identity(
            matrix.n, matrix.dtype, adjoint=matrix.in_b, stack=matrix.stack
        ).to(matrix.device)
        return cls((matrix, unit) if matrix.in_b else (unit, matrix))

    @classmethod
    def identity(
        cls, n: int, dtype: torch.dtype = torch.float64, stack: tuple[int, ...] = ()
    ) -> Kaleidoscope:
        """The identity in BB*."""
        return cls.of(Butterfly.identity(n, dtype, stack=stack))

    @classmethod
    def from_packed(cls, twiddle: Tensor, n: int | None = None) -> Kaleidoscope:
        """From a twiddle (*stack, 2w, log2 size, 2, 2, size/2), everything in written order."""
        if twiddle.dim() < 5:
            raise UserError(
                f"the twiddle of a kaleidoscope has shape {tuple(twiddle.shape)} "
                "(accepted: (*stack, 2w, log2 size, 2, 2, size/2))"
            )
        count = twiddle.shape[-5]
        return cls(
            [
                Butterfly.from_packed(twiddle[..., i, :, :, :, :], adjoint=bool(i % 2))
                for i in range(count)
            ],
            n,
        )

    def packed(self) -> Tensor:
        """The twiddles of all factors as one (*stack, 2w, log2 size, 2, 2, size/2)."""
        return torch.stack([butterfly.packed() for butterfly in self._butterflies], -5)

    @property
    def butterflies(self) -> tuple[Butterfly, ...]:
        """The 2w butterflies in written order: the last one is applied first."""
        return self._butterflies

    @property
    def orders(self) -> tuple[Order, ...]:
        """How the sizes of factors run, butterfly by butterfly: falling, rising, falling, …"""
        return tuple(butterfly.order for butterfly in self._butterflies)

    @property
    def n(self) -> int:
        """Rows, and columns, of the corner."""
        return self._n

    @property
    def size(self) -> int:
        """The size e·n of the butterflies, a power of two."""
        return self._butterflies[0].n

    @property
    def width(self) -> int:
        """The width w: how many pairs M1 M2* are multiplied."""
        return len(self._butterflies) // 2

    @property
    def expansion(self) -> int:
        """The expansion e: how often the smallest power of two that holds n goes into ``size``."""
        return self.size // max(2, 1 << (self._n - 1).bit_length())

    @property
    def dtype(self) -> torch.dtype:
        """The dtype of all twiddles."""
        return self._butterflies[0].dtype

    @property
    def device(self) -> torch.device:
        """Where the twiddles lie."""
        return self._butterflies[0].device

    @property
    def stack(self) -> tuple[int, ...]:
        """The shape of the stack."""
        return self._butterflies[0].stack

    @property
    def parameter_count(self) -> int:
        """4w·en·log2(en) a matrix."""
        return sum(butterfly.parameter_count for butterfly in self._butterflies)

    def count_nonzero(self) -> int:
        """Entries of all twiddles that are not 0."""
        return sum(butterfly.count_nonzero() for butterfly in self._butterflies)

    def transpose(self) -> Kaleidoscope:
        """The transpose, of the same width and expansion."""
        return Kaleidoscope([b.transpose() for b in reversed(self._butterflies)], self._n)

    def conjugate(self) -> Kaleidoscope:
        """The conjugate, of the same width and expansion."""
        return Kaleidoscope([b.conjugate() for b in self._butterflies], self._n)

    def adjoint(self) -> Kaleidoscope:
        """The conjugate transpose, of the same width and expansion."""
        return self.conjugate().transpose()

    def inverse(self) -> Kaleidoscope:
        """The inverse, of the same width; ``UserError`` if singular or a proper corner.

        The inverse of a corner is not the corner of the inverse.
        """
        if self._n != self.size:
            raise UserError(
                f"the inverse of the {self._n}×{self._n} corner of a size {self.size} kaleidoscope "
                "is no kaleidoscope of that size in general; only n = size is inverted"
            )
        return Kaleidoscope([b.inverse() for b in reversed(self._butterflies)])

    def to(self, target: torch.dtype | torch.device | str) -> Kaleidoscope:
        """The same kaleidoscope in another dtype or on another device."""
        return Kaleidoscope([b.to(target) for b in self._butterflies], self._n)

    def expand(self, size: int) -> Kaleidoscope:
        """The same n×n matrix as the corner of larger butterflies, [[M, 0], [0, I]]."""
        larger = [b.embed(size, adjoint=bool(i % 2)) for i, b in enumerate(self._butterflies)]
        return Kaleidoscope(larger, self._n)

    def _multiply(self, x: Tensor) -> Tensor:
        x = pad(x, (0, self.size - self._n))
        return multiply(x, self.packed(), self.orders)[..., : self._n]

    def _sizes(self) -> str:
        return f"n={self._n}, size={self.size}, w={self.width}, e={self.expansion}"


def _product(left: StructuredMatrix, right: StructuredMatrix) -> Kaleidoscope | None:
    """B · B*, and products with at least one kaleidoscope, of one n and stack."""
    if isinstance(left, Butterfly) and isinstance(right, Butterfly):
        return Kaleidoscope((left, right)) if left.in_b and right.in_b_star else None
    one, other = _as_kaleidoscope(left), _as_kaleidoscope(right)
    if one is None or other is None or (one.n, one.stack) != (other.n, other.stack):
        return None
    return _corner_product(one, other)


def _as_kaleidoscope(matrix: StructuredMatrix) -> Kaleidoscope | None:
    if isinstance(matrix, Butterfly):
        return Kaleidoscope.of(matrix)
    return matrix if isinstance(matrix, Kaleidoscope) else None


def _corner_product(one: Kaleidoscope, other: Kaleidoscope) -> Kaleidoscope:
    """corner(A) · corner(B) = corner(A · P · B), P keeping the first n entries."""
    size = max(one.size, other.size)
    left, right = one.expand(size).butterflies, other.expand(size).butterflies
    inner = left[-1]
    if one.n < size:
        kept = (torch.arange(size, device=one.device) < one.n).to(one.dtype)
        inner = inner.scale_columns(kept)
    return Kaleidoscope((*left[:-1], inner, *right), one.n)


PRODUCTS.append(_product)
