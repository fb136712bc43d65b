"""What every structured matrix can do: the one interface of butterflies, permutations, products.

Vectors lie along the last axis: ``apply`` takes (..., n) and multiplies each vector, a column of
the mathematics, from the left. ``matrix @ tensor`` is the matrix product as torch knows it, so its
vectors are columns of the tensor.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Self, overload

import torch
from torch import Tensor

from bestiary.errors import UserError

DTYPES = (torch.float32, torch.float64, torch.complex64, torch.complex128)
"""The dtypes that entries may have."""


class StructuredMatrix(ABC):
    """An immutable n×n matrix that is stored by its structure, or a stack of such matrices.

    ``stack`` is the shape of the stack: () for one matrix, (s,) for s independent ones, each with
    entries of its own. Vectors to multiply are (..., *stack, n), one for each member; axes of size
    1 are stretched.
    """

    @property
    @abstractmethod
    def n(self) -> int:
        """Rows, and columns."""

    @property
    @abstractmethod
    def dtype(self) -> torch.dtype:
        """The dtype of the entries."""

    @property
    @abstractmethod
    def device(self) -> torch.device:
        """Where the entries lie."""

    @property
    @abstractmethod
    def stack(self) -> tuple[int, ...]:
        """The shape of the stack, () for a single matrix."""

    @property
    @abstractmethod
    def parameter_count(self) -> int:
        """Stored numbers of all members of the stack, zeros and ones included."""

    @abstractmethod
    def count_nonzero(self) -> int:
        """Stored numbers that are not 0."""

    @abstractmethod
    def transpose(self) -> StructuredMatrix:
        """The transpose, without conjugation."""

    @abstractmethod
    def conjugate(self) -> Self:
        """The complex conjugate of every entry."""

    @abstractmethod
    def inverse(self) -> StructuredMatrix:
        """The inverse; ``UserError`` that says where the matrix is singular."""

    @abstractmethod
    def to(self, target: torch.dtype | torch.device | str) -> Self:
        """The same matrix in another dtype or on another device; complex to real is refused."""

    @abstractmethod
    def _multiply(self, x: Tensor) -> Tensor:
        """Multiply x (..., *stack or sizes 1, n) of a dtype no narrower than the entries'."""

    @property
    def shape(self) -> tuple[int, ...]:
        """(*stack, n, n)."""
        return (*self.stack, self.n, self.n)

    @property
    def is_complex(self) -> bool:
        """Whether the entries are of a complex dtype."""
        return self.dtype.is_complex

    def adjoint(self) -> StructuredMatrix:
        """The conjugate transpose, * in the papers."""
        return self.conjugate().transpose()

    def apply(self, x: Tensor) -> Tensor:
        """Multiply every vector of x (..., *stack, n): y[..., i] = Σ_j M[i, j] · x[..., j].

        The result is (..., *stack, n) in the wider dtype of x and the entries. Raises ``UserError``
        where sizes do not fit.
        """
        if x.dim() < 1 or x.shape[-1] != self.n:
            raise UserError(
                f"vectors of shape {tuple(x.shape)} do not fit a matrix with n = {self.n} "
                f"(accepted: {self._accepted()})"
            )
        axes = x.shape[:-1][-len(self.stack) :] if self.stack else ()
        if len(axes) < len(self.stack) or any(
            a not in (1, s) for a, s in zip(axes, self.stack, strict=True)
        ):
            raise UserError(
                f"vectors of shape {tuple(x.shape)} do not fit a stack of {self.stack} matrices "
                f"(accepted: {self._accepted()})"
            )
        return self._multiply(x.to(torch.result_type(x, torch.empty((), dtype=self.dtype))))

    def _accepted(self) -> str:
        return "(" + ", ".join(["...", *map(str, self.stack), str(self.n)]) + ")"

    def dense(self) -> Tensor:
        """All entries, (*stack, n, n): the images of the unit vectors as columns."""
        unit = torch.eye(self.n, dtype=self.dtype, device=self.device)
        vectors = unit.reshape(self.n, *(1 for _ in self.stack), self.n)
        return self.apply(vectors).movedim(0, -1)

    def real_form(self) -> Tensor:
        """The real matrix (*stack, 2n, 2n) that does to pairs (Re, Im) what this one does.

        Vectors are the row-major (n, 2) arrays of ``torch.view_as_real``: number t is at 2t and
        2t + 1. A real matrix acts on both parts alike.
        """
        dense = self.dense()
        real, imag = (dense.real, dense.imag) if self.is_complex else (dense, dense * 0)
        pairs = torch.stack([torch.stack([real, -imag], -1), torch.stack([imag, real], -1)], -3)
        return pairs.reshape(*self.stack, 2 * self.n, 2 * self.n)

    @overload
    def __matmul__(self, other: Tensor) -> Tensor: ...
    @overload
    def __matmul__(self, other: StructuredMatrix) -> StructuredMatrix: ...
    def __matmul__(self, other: Any) -> Any:
        """The product with a tensor, (n,) or (..., n, columns), or with a structured matrix."""
        if isinstance(other, Tensor):
            return self.apply(other) if other.dim() == 1 else self._times_columns(other)
        if isinstance(other, StructuredMatrix):
            made = (rule(self, other) for rule in reversed(PRODUCTS))
            return next(product for product in made if product is not None)
        return NotImplemented

    def _times_columns(self, columns: Tensor) -> Tensor:
        if columns.dim() < 2 or columns.shape[-2] != self.n:
            raise UserError(
                f"a tensor of shape {tuple(columns.shape)} cannot stand right of an "
                f"n = {self.n} matrix (accepted: (n,) or (..., n, columns))"
            )
        if not self.stack:
            return self.apply(columns.mT).mT
        # A stack's members meet their own matrix of columns: (..., *stack, n, columns).
        return self.apply(columns.movedim(-1, 0)).movedim(0, -1)

    def __repr__(self) -> str:
        stack = f", stack={self.stack}" if self.stack else ""
        dtype = str(self.dtype).removeprefix("torch.")
        return f"{type(self).__name__}({self._sizes()}, {dtype}{stack})"

    def _sizes(self) -> str:
        return f"n={self.n}"


ProductRule = Callable[[StructuredMatrix, StructuredMatrix], StructuredMatrix | None]

PRODUCTS: list[ProductRule] = []
"""What holds the product of two matrices: the last rule that gives one. A rule stands in the file
of the type that it makes, so that types know what they are made of, not what is made of them."""


def check_entries(entries: Tensor, what: str) -> None:
    """Raise ``UserError`` unless ``entries`` are finite and of one of ``DTYPES``."""
    if entries.dtype not in DTYPES:
        accepted = ", ".join(str(d).removeprefix("torch.") for d in DTYPES)
        raise UserError(f"{what} has entries of {entries.dtype} (accepted: {accepted})")
    finite = torch.isfinite(entries.detach())
    if not bool(finite.all()):
        place = tuple(int(i) for i in (~finite).nonzero()[0])
        raise UserError(
            f"{what} has the entry {entries[place].item()} at {place}; all must be finite"
        )


def check_cast(dtype: torch.dtype, target: torch.dtype | torch.device | str) -> None:
    """Raise ``UserError`` if ``target`` is a dtype that entries of ``dtype`` cannot be cast to."""
    if not isinstance(target, torch.dtype):
        return
    if target not in DTYPES:
        accepted = ", ".join(str(d).removeprefix("torch.") for d in DTYPES)
        raise UserError(f"entries cannot be {target} (accepted: {accepted})")
    if dtype.is_complex and not target.is_complex:
        raise UserError(f"complex entries cannot be {target}; take real and imaginary parts apart")


def check_power_of_two(n: int, what: str, least: int = 2) -> None:
    """Raise ``UserError`` unless n is a power of two of at least ``least``."""
    if n < least or n & (n - 1):
        above = max(least, 1 << max(n - 1, 0).bit_length())
        raise UserError(f"{what} is {n}; it must be a power of two, such as {above}")
