"""Butterfly matrices B_n · B_{n/2} ··· B_2, the class B, and their adjoints, the class B*.

Dao et al., "Kaleidoscope", 2020, Definition 2.3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from bestiary.errors import UserError
from bestiary.operators.butterfly import Order, multiply
from bestiary.structured.butterfly_factor import ButterflyFactor
from bestiary.structured.matrix import StructuredMatrix, check_power_of_two


class Butterfly(StructuredMatrix):
    """A product of log2 n butterfly factors, one of each size, in one of the two orders.

    ``factors`` are in the order in which the product is written, so the last one meets a vector
    first. Sizes n, n/2, …, 2 make a member of B; sizes 2, 4, …, n, a member of B*, which is what
    ``transpose``, ``adjoint`` and ``inverse`` of a member of B are (and the other way round).
    For n = 2 the two classes are the same.

    Factors share n and the stack, and are brought to their common dtype. Raises ``UserError`` for
    sizes in neither order and factors that do not go together.
    """

    def __init__(self, factors: Sequence[ButterflyFactor]) -> None:
        if not factors:
            raise UserError("a butterfly needs factors, one of each size n, n/2, …, 2; got none")
        first = factors[0]
        for factor in factors:
            if (factor.n, factor.stack) != (first.n, first.stack):
                raise UserError(
                    f"the factors {first} and {factor} of a butterfly differ in n or in their stack"
                )
        sizes = tuple(factor.k for factor in factors)
        falling = falling_sizes(first.n)
        if sizes not in (falling, falling[::-1]):
            raise UserError(
                f"factors of sizes {sizes} make no butterfly with n = {first.n} "
                f"(accepted: {falling} for B, {falling[::-1]} for B*)"
            )
        dtype = first.dtype
        for factor in factors:
            dtype = torch.promote_types(dtype, factor.dtype)
        self._factors = tuple(f if f.dtype == dtype else f.to(dtype) for f in factors)

    @classmethod
    def identity(
        cls,
        n: int,
        dtype: torch.dtype = torch.float64,
        *,
        adjoint: bool = False,
        stack: tuple[int, ...] = (),
    ) -> Butterfly:
        """The identity as a member of B, or with ``adjoint`` of B*."""
        sizes = falling_sizes(n)[:: -1 if adjoint else 1]
        return cls([ButterflyFactor.identity(n, k, dtype, stack) for k in sizes])

    @classmethod
    def from_packed(cls, twiddle: Tensor, *, adjoint: bool = False) -> Butterfly:
        """The butterfly of a twiddle (*stack, log2 n, 2, 2, n/2), factors in written order.

        The last axis of a factor of size k is (block, p), flattened: n/k blocks of k/2. Written
        order is sizes n, …, 2, or with ``adjoint`` 2, …, n.
        """
        n = 2 * twiddle.shape[-1]
        sizes = falling_sizes(n)[:: -1 if adjoint else 1]
        if twiddle.dim() < 4 or tuple(twiddle.shape[-4:-1]) != (len(sizes), 2, 2):
            raise UserError(
                f"the twiddle of a butterfly has shape {tuple(twiddle.shape)} "
                f"(accepted: (*stack, log2 n, 2, 2, n/2))"
            )
        return cls(
            [ButterflyFactor.from_packed(k, twiddle[..., i, :, :, :]) for i, k in enumerate(sizes)]
        )

    def packed(self) -> Tensor:
        """The twiddles of all factors as one (*stack, log2 n, 2, 2, n/2), in written order."""
        return torch.stack([factor.packed() for factor in self._factors], -4)

    @property
    def factors(self) -> tuple[ButterflyFactor, ...]:
        """The factors in written order: the last one is applied first."""
        return self._factors

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes k of the factors in written order."""
        return tuple(factor.k for factor in self._factors)

    @property
    def in_b(self) -> bool:
        """Whether this is a member of B: sizes fall from n to 2 in the written product."""
        return self._factors[-1].k == 2

    @property
    def in_b_star(self) -> bool:
        """Whether this is a member of B*: sizes rise from 2 to n in the written product."""
        return self._factors[0].k == 2

    @property
    def order(self) -> Order:
        """``falling`` for a member of B, else ``rising``: how sizes run in the written product."""
        return "falling" if self.in_b else "rising"

    def __iter__(self) -> Iterator[ButterflyFactor]:
        return iter(self._factors)

    def __len__(self) -> int:
        return len(self._factors)

    @property
    def n(self) -> int:
        """Rows, and columns."""
        return self._factors[0].n

    @property
    def dtype(self) -> torch.dtype:
        """The dtype of all twiddles."""
        return self._factors[0].dtype

    @property
    def device(self) -> torch.device:
        """Where the twiddles lie."""
        return self._factors[0].device

    @property
    def stack(self) -> tuple[int, ...]:
        """The shape of the stack."""
        return self._factors[0].stack

    @property
    def parameter_count(self) -> int:
        """2n·log2 n a matrix."""
        return sum(factor.parameter_count for factor in self._factors)

    def count_nonzero(self) -> int:
        """Entries of all twiddles that are not 0."""
        return sum(factor.count_nonzero() for factor in self._factors)

    def transpose(self) -> Butterfly:
        """The transpose: in B* for a member of B, in B for one of B*."""
        return Butterfly([factor.transpose() for factor in reversed(self._factors)])

    def conjugate(self) -> Butterfly:
        """The conjugate, in the same class."""
        return Butterfly([factor.conjugate() for factor in self._factors])

    def adjoint(self) -> Butterfly:
        """The conjugate transpose: in B* for a member of B, in B for one of B*."""
        return self.conjugate().transpose()

    def inverse(self) -> Butterfly:
        """The inverse: in B* for a member of B; ``UserError`` with the block that is singular."""
        return Butterfly([factor.inverse() for factor in reversed(self._factors)])

    def to(self, target: torch.dtype | torch.device | str) -> Butterfly:
        """The same butterfly in another dtype or on another device."""
        return Butterfly([factor.to(target) for factor in self._factors])

    def scale_rows(self, diagonal: Tensor) -> Butterfly:
        """diag(diagonal) · M for a diagonal (n,): a butterfly of the same class."""
        return Butterfly([self._factors[0].scale_rows(diagonal), *self._factors[1:]])

    def scale_columns(self, diagonal: Tensor) -> Butterfly:
        """M · diag(diagonal) for a diagonal (n,): a butterfly of the same class."""
        return Butterfly([*self._factors[:-1], self._factors[-1].scale_columns(diagonal)])

    def embed(self, size: int, *, adjoint: bool | None = None) -> Butterfly:
        """The butterfly of ``size`` ≥ n with this one in its upper left corner.

        The rest is the identity: [[M, 0], [0, I]]. It is in this one's class; with n = 2, which is
        in both, in B unless ``adjoint`` asks for B*.
        """
        check_power_of_two(size, "the size to embed a butterfly in")
        if size < self.n:
            raise UserError(f"a butterfly with n = {self.n} cannot be embedded in size {size}")
        larger = []
        for factor in self._factors:
            rest = ButterflyFactor.identity(size, factor.k, self.dtype, self.stack).to(self.device)
            twiddle = torch.cat([factor.twiddle, rest.twiddle[..., factor.blocks :, :, :, :]], -4)
            larger.append(ButterflyFactor(size, factor.k, twiddle))
        added = [
            ButterflyFactor.identity(size, k, self.dtype, self.stack).to(self.device)
            for k in falling_sizes(size)
            if k > self.n
        ]
        in_b = self.in_b if adjoint is None or self.n > 2 else not adjoint
        return Butterfly([*added, *larger] if in_b else [*larger, *reversed(added)])

    def _multiply(self, x: Tensor) -> Tensor:
        return multiply(x, self.packed().unsqueeze(-5), (self.order,))

    def _sizes(self) -> str:
        return f"n={self.n}, {'B' if self.in_b else 'B*'}"


def falling_sizes(n: int) -> tuple[int, ...]:
    """n, n/2, …, 2: the sizes of the factors of a member of B, in written order."""
    check_power_of_two(n, "the size n of a butterfly")
    return tuple(1 << level for level in range(n.bit_length() - 1, 0, -1))
