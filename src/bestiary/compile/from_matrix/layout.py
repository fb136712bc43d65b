"""How a vector lies in an array: row by row, d numbers a row, complex ones as pairs of channels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestiary.compile.expression import Value, read
from bestiary.compile.program import Mode, Program
from bestiary.errors import UserError

Array = NDArray[Any]


@dataclass(frozen=True)
class Layout:
    """x of ``given`` · ``channels`` numbers, row by row, the first rows of ``rows``, the rest 0.

    channels: d, how many numbers lie in a row; pairs: whether each is a pair (Re, Im) of channels
    beside each other, as in ``torch.view_as_real``. mode: of the program; circular programs have
    a ring of ``rows`` + ``spare`` rows.
    """

    given: int
    rows: int
    channels: int
    pairs: bool = False
    mode: Mode = "causal"
    spare: int = 0

    @classmethod
    def of(cls, n: int, size: int, d: int, *, pairs: bool = False, mode: Mode = "causal") -> Layout:
        """n numbers, the first of ``size``, with d in a row.

        ``UserError`` where d is no power of two that divides n: levels pair rows with rows or
        channels with channels, and a row that is filled in part would have to be padded inside.
        """
        if d < 1 or d & (d - 1) or d > size:
            raise UserError(
                f"d is {d}; a power of two up to the size {size} of the matrix is needed"
            )
        if n % d:
            raise UserError(
                f"a vector of {n} numbers does not fill rows of d = {d}; give a d that divides "
                f"{n}, or pad the matrix to {-(-n // d) * d}"
            )
        return cls(n // d, size // d, d, pairs, mode)

    @property
    def size(self) -> int:
        """How many positions there are, those that are 0 included."""
        return self.rows * self.channels

    @property
    def ring(self) -> int:
        """Rows of the ring, 0 in a causal program."""
        return self.rows + self.spare if self.mode == "circular" else 0

    @property
    def width(self) -> int:
        """Real channels of a row."""
        return self.channels * (2 if self.pairs else 1)

    def labels(self, name: str) -> list[str]:
        """A name for each channel."""
        if not self.pairs:
            return [f"{name}.{i}" for i in range(self.channels)]
        return [f"{part} {name}.{i}" for i in range(self.channels) for part in ("Re", "Im")]

    def split(self, bits: Sequence[int]) -> tuple[list[int], list[int]]:
        """Bits of positions as bits of rows and bits of channels, in their own weights."""
        rows = [bit // self.channels for bit in bits if bit >= self.channels]
        return rows, [bit for bit in bits if bit < self.channels]

    def layers(self, bits: Sequence[int]) -> int:
        """Layers of a level in groups of channels: two where it mixes rows, one where not."""
        return 2 if self.split(bits)[0] else 1

    def swapped(self, value: Value, mask: int) -> Value:
        """Channel c moved to c ^ mask."""
        return value if mask == 0 else self.gathered(value, np.arange(self.channels) ^ mask)

    def gathered(self, value: Value, source: Array) -> Value:
        """The numbers of a row in another order: number c is ``source[c]``."""
        if self.pairs:
            source = np.stack([2 * source, 2 * source + 1], axis=1).ravel()
        return read(value, source.tolist())

    def products(self, value: Value, numbers: Array) -> Iterator[tuple[Value, Array]]:
        """Arrays and real coefficients whose products add up to ``numbers`` ⊙ value.

        numbers: (rows, channels), complex only in a layout of pairs: c·x is Re c ⊙ x + Im c ⊙ ix,
        where ix is (−Im x, Re x). Products that are 0 are left out, but for the first.
        """
        if not self.pairs:
            yield value, numbers.real
            return
        real, imag = np.repeat(numbers.real, 2, axis=1), np.repeat(numbers.imag, 2, axis=1)
        if real.any() or not imag.any():
            yield value, real
        if imag.any():
            imag[:, ::2] *= -1
            turned = np.arange(value.width) ^ 1
            yield read(value, turned.tolist()), imag

    def program(self, x: Value, output: Value, name: str) -> Program:
        """The program that reads as many rows as are given."""
        return Program(
            (x,), output, rows=self.given, mode=self.mode, ring=self.ring or None, name=name
        )
