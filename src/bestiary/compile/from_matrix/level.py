"""A level: a linear map that mixes each position with those whose index differs in chosen bits.

A butterfly factor of size k is the level y[i] = own[i] · x[i] + other[i] · x[i ^ k/2]: its blocks
pair positions that differ in the bit of weight k/2. Levels of equal bits are closed under products,
which is what merges two factors of one size at the joints of a kaleidoscope, and a product of
levels of different bits is the level of all of them, which is what radix r and Monarch are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestiary.errors import UserError
from bestiary.structured import ButterflyFactor, Diagonal
from bestiary.structured.block_diagonal import BlockDiagonal

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Level:
    """y[i] = Σ_m coefficients[m][i] · x[i ^ m] over ``size`` positions, a power of two.

    coefficients: by mask m, (size,) real or complex. The masks are made complete: with two of them
    their exclusive or is a mask too (its coefficients 0 where none were given).
    """

    size: int
    coefficients: Mapping[int, Array]

    def __post_init__(self) -> None:
        if self.size < 1 or self.size & (self.size - 1):
            raise UserError(f"a level has {self.size} positions; a power of two is needed")
        outside = [m for m in self.coefficients if not 0 <= m < self.size]
        if outside:
            raise UserError(f"mask {outside[0]} does not fit into {self.size} positions")
        zero = np.zeros(self.size)
        full = {m: self.coefficients.get(m, zero) for m in span(self.bits)}
        object.__setattr__(self, "coefficients", full)

    @classmethod
    def of_factor(cls, factor: ButterflyFactor) -> Level:
        """B_k^(n): [[D1, D2], [D3, D4]] on pairs of positions k/2 apart."""
        twiddle = factor.twiddle.detach().cpu().numpy()
        own = np.stack([twiddle[:, 0, 0], twiddle[:, 1, 1]], axis=1)
        other = np.stack([twiddle[:, 0, 1], twiddle[:, 1, 0]], axis=1)
        return cls(factor.n, {0: widened(own.ravel()), factor.k // 2: widened(other.ravel())})

    @classmethod
    def of_blocks(cls, matrix: BlockDiagonal, apart: int = 1) -> Level:
        """Dense blocks of a power of two, of positions ``apart`` from each other.

        apart = 1 is the block-diagonal matrix itself; with apart the number of blocks it is
        Pᵀ · L · P of a Monarch matrix, which mixes positions j, j + apart, … by block j.
        """
        blocks = widened(matrix.blocks.detach().cpu().numpy())
        size, at = matrix.block_size, np.arange(matrix.n)
        if size & (size - 1) or matrix.count & (matrix.count - 1):
            raise UserError(
                f"{matrix.count} blocks of size {size} are no level; both must be powers of two"
            )
        row = at // apart % size
        block = at // size if apart == 1 else at % apart
        return cls(matrix.n, {mask * apart: blocks[block, row, row ^ mask] for mask in range(size)})

    @classmethod
    def of_diagonal(cls, diagonal: Diagonal) -> Level:
        """diag(entries), with ones up to a power of two."""
        entries = widened(diagonal.entries.detach().cpu().numpy())
        rest = (1 << (diagonal.n - 1).bit_length()) - diagonal.n
        return cls(diagonal.n + rest, {0: np.concatenate([entries, np.ones(rest)])})

    @classmethod
    def keeping(cls, count: int, size: int) -> Level:
        """The first ``count`` positions as they are, 0 in all others."""
        return cls(size, {0: (np.arange(size) < count).astype(np.float64)})

    @cached_property
    def bits(self) -> tuple[int, ...]:
        """The weights of the bits in which positions that are mixed differ, ascending."""
        together = 0
        for mask in self.coefficients:
            together |= mask
        return tuple(1 << i for i in range(together.bit_length()) if together >> i & 1)

    @property
    def is_complex(self) -> bool:
        """Whether any coefficient is of a complex type."""
        return any(np.iscomplexobj(values) for values in self.coefficients.values())

    def after(self, first: Level) -> Level:
        """self · first: the level that does ``first``, then this one."""
        if self.size != first.size:
            raise UserError(f"levels of {self.size} and {first.size} positions cannot be merged")
        at = np.arange(self.size)
        found: dict[int, Array] = {}
        for mine, outer in self.coefficients.items():
            for theirs, inner in first.coefficients.items():
                part = outer * inner[at ^ mine]
                mask = mine ^ theirs
                found[mask] = found[mask] + part if mask in found else part
        return Level(self.size, found)

    def expand(self, size: int) -> Level:
        """The same on the first positions of ``size``, the identity on the others."""
        added = size - self.size
        return Level(
            size,
            {
                mask: np.concatenate([values, np.full(added, float(mask == 0))])
                for mask, values in self.coefficients.items()
            },
        )


def span(bits: Iterable[int]) -> list[int]:
    """All sums of some of ``bits``, ascending where they are."""
    masks = [0]
    for bit in bits:
        masks += [mask + bit for mask in masks]
    return masks


def widened(values: Array) -> Array:
    """The same numbers in float64 or complex128."""
    return values.astype(np.complex128 if np.iscomplexobj(values) else np.float64)


def merged(
    levels: Sequence[Level], most: int = 2, cost: Callable[[tuple[int, ...]], int] = len
) -> list[Level]:
    """Neighbours merged where the product has at most ``most`` masks, in order of application.

    Of all ways to cut the chain into such products, the one whose ``cost``, a function of the bits
    of each product, adds up to the least, and among those one of fewest masks. most = 2 merges
    factors of equal size, and diagonals into them.
    """
    best: list[tuple[int, int, int]] = [(0, 0, 0)]
    for stop in range(1, len(levels) + 1):
        ways = []
        bits: set[int] = set()
        for start in range(stop - 1, -1, -1):
            bits |= set(levels[start].bits)
            if 1 << len(bits) > max(most, 1 << len(levels[stop - 1].bits)):
                break
            layers, masks, _ = best[start]
            ways.append((layers + cost(tuple(sorted(bits))), masks + (1 << len(bits)), start))
        best.append(min(ways))
    cuts = [len(levels)]
    while cuts[-1]:
        cuts.append(best[cuts[-1]][2])
    pieces = zip(reversed(cuts[1:]), reversed(cuts[:-1]), strict=True)
    return [reduce(lambda first, then: then.after(first), levels[a:b]) for a, b in pieces]


def check_radix(radix: int) -> int:
    """The radix; ``UserError`` unless it is a power of two of at least 2."""
    if radix < 2 or radix & (radix - 1):
        raise UserError(f"the radix is {radix}; a power of two of at least 2 is needed")
    return radix
