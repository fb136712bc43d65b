"""An associative operation on many items: all together, or all prefixes x₀, x₀∘x₁, x₀∘x₁∘x₂, …"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar, cast

T = TypeVar("T")
Combine = Callable[[T, T], T]


def tree(combine: Combine[T], items: Iterable[T], empty: T | None = None) -> T:
    """All items combined, two neighbours at a time, in ⌈log2 n⌉ rounds; ``empty`` of none."""
    row = list(items)
    while len(row) > 1:
        odd = row[-1:] if len(row) % 2 else []
        row = [combine(a, b) for a, b in zip(row[::2], row[1::2], strict=False)] + odd
    return cast(T, row[0] if row else empty)


def sequential(combine: Combine[T], items: Sequence[T]) -> list[T]:
    """One after the other: n − 1 operations, n − 1 deep."""
    found = list(items[:1])
    for item in items[1:]:
        found.append(combine(found[-1], item))
    return found


def kogge_stone(combine: Combine[T], items: Sequence[T]) -> list[T]:
    """⌈log2 n⌉ deep with two uses a value: at every step all look twice as far back.

    P. M. Kogge and H. S. Stone, IEEE Transactions on Computers C-22 (1973).
    """
    found, reach = list(items), 1
    while reach < len(found):
        found = found[:reach] + [
            combine(found[i - reach], found[i]) for i in range(reach, len(found))
        ]
        reach *= 2
    return found


def sklansky(combine: Combine[T], items: Sequence[T]) -> list[T]:
    """⌈log2 n⌉ deep: the prefix of each lower half is combined into all of the upper half.

    J. Sklansky, IRE Transactions on Electronic Computers EC-9 (1960).
    """
    found, half = list(items), 1
    while half < len(found):
        for i in range(len(found)):
            if i & half:
                found[i] = combine(found[(i | (half - 1)) - half], found[i])
        half *= 2
    return found


def brent_kung(combine: Combine[T], items: Sequence[T]) -> list[T]:
    """2n − 2 − log2 n operations for a power of two, 2⌈log2 n⌉ − 2 deep: a tree up and down.

    R. P. Brent and H. T. Kung, IEEE Transactions on Computers C-31 (1982).
    """
    if len(items) < 2:
        return list(items)
    pairs = [combine(a, b) for a, b in zip(items[::2], items[1::2], strict=False)]
    odd = brent_kung(combine, pairs)
    even = [items[0]] + [combine(odd[i - 1], items[2 * i]) for i in range(1, (len(items) + 1) // 2)]
    found = list(items)
    found[::2], found[1::2] = even, odd
    return found


def aligned_blocks(combine: Combine[T], items: Sequence[T]) -> list[list[T]]:
    """By their level t, the folds of items 0 … 2^t − 1, 2^t … 2·2^t − 1, and so on, if whole."""
    levels = [list(items)]
    while len(levels[-1]) > 1:
        row = levels[-1]
        levels.append([combine(a, b) for a, b in zip(row[::2], row[1::2], strict=False)])
    return levels


def blocks_before(levels: Sequence[Sequence[T]], place: int) -> Iterator[T]:
    """The folds of ``aligned_blocks`` that make up items 0 … place − 1, nearest first.

    What meets them one after the other, itself as deep as an item, ends as deep as a balanced tree
    of place + 1 items: it meets the block of level t after t others at most.
    """
    for level, row in enumerate(levels):
        if place >> level & 1:
            yield row[(place >> level) - 1]
