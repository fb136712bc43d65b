"""Products of structured matrices that are kept as products."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from bestiary.errors import UserError
from bestiary.structured.matrix import PRODUCTS, StructuredMatrix


class Product(StructuredMatrix):
    """factors[0] · factors[1] ···, in written order: the last one is applied first.

    Made by ``@`` wherever no more particular type holds the product. Products among the factors
    are spliced in. Stacks may differ where one side has none. ``UserError`` for sizes that differ.
    """

    def __init__(self, factors: Sequence[StructuredMatrix]) -> None:
        flat: list[StructuredMatrix] = []
        for factor in factors:
            flat.extend(factor.factors if isinstance(factor, Product) else (factor,))
        if not flat:
            raise UserError("a product needs at least one factor; got none")
        stack: tuple[int, ...] = ()
        for factor in flat:
            if factor.n != flat[0].n:
                raise UserError(f"{flat[0]} and {factor} cannot be multiplied: n differs")
            if factor.stack and stack and factor.stack != stack:
                raise UserError(f"{factor} cannot be multiplied with a stack of {stack} matrices")
            stack = factor.stack or stack
        self._factors = tuple(flat)
        self._stack = stack

    @property
    def factors(self) -> tuple[StructuredMatrix, ...]:
        """The factors in written order."""
        return self._factors

    @property
    def n(self) -> int:
        """Rows, and columns."""
        return self._factors[0].n

    @property
    def dtype(self) -> torch.dtype:
        """The widest dtype of the factors."""
        dtype = self._factors[0].dtype
        for factor in self._factors:
            dtype = torch.promote_types(dtype, factor.dtype)
        return dtype

    @property
    def device(self) -> torch.device:
        """Where the factors lie."""
        return self._factors[0].device

    @property
    def stack(self) -> tuple[int, ...]:
        """The stack of those factors that have one."""
        return self._stack

    @property
    def parameter_count(self) -> int:
        """The sum over factors."""
        return sum(factor.parameter_count for factor in self._factors)

    def count_nonzero(self) -> int:
        """The sum over factors."""
        return sum(factor.count_nonzero() for factor in self._factors)

    def transpose(self) -> Product:
        """The transposes in the opposite order."""
        return Product([factor.transpose() for factor in reversed(self._factors)])

    def conjugate(self) -> Product:
        """The conjugates."""
        return Product([factor.conjugate() for factor in self._factors])

    def inverse(self) -> Product:
        """The inverses in the opposite order; ``UserError`` where a factor is singular."""
        return Product([factor.inverse() for factor in reversed(self._factors)])

    def to(self, target: torch.dtype | torch.device | str) -> Product:
        """The same product in another dtype or on another device."""
        return Product([factor.to(target) for factor in self._factors])

    def _multiply(self, x: Tensor) -> Tensor:
        for factor in reversed(self._factors):
            x = factor.apply(x)
        return x

    def _sizes(self) -> str:
        return " · ".join(repr(factor) for factor in self._factors)


def _kept(left: StructuredMatrix, right: StructuredMatrix) -> Product:
    return Product((left, right))


PRODUCTS.insert(0, _kept)
