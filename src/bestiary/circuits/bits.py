"""Boolean operations as polynomials, on bits that are 0 or 1.

Bits are symbols of a function that is being traced, plain numbers, or numpy arrays of either, which
are taken entry by entry. Numbers are sequences of bits, the one of 2⁰ first. "Depth" is what a
function adds to the multiplicative depth of its operands where none is a constant.
``bestiary.circuits.adders`` adds and multiplies numbers, ``bestiary.circuits.signs`` has bits that
are +1 or −1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bestiary.circuits.number import shown
from bestiary.circuits.plain_bits import of_bits
from bestiary.circuits.scans import tree
from bestiary.errors import UserError

Bit = Any
"""0 or 1: a symbol, a number, or an array of them."""
Bits = Sequence[Bit]
"""The bits of a number, the one of 2⁰ first."""
LONGEST = 62
"""Places of which the sum is taken in whole numbers of numpy."""


@of_bits
def not_(a: Bit) -> Bit:
    """1 − a. Depth 0."""
    return 1 - a


@of_bits
def and_(a: Bit, b: Bit) -> Bit:
    """a · b. Depth 1."""
    return a * b


@of_bits
def or_(a: Bit, b: Bit) -> Bit:
    """a + b − a·b. Depth 1."""
    return a + b - a * b


@of_bits
def xor(a: Bit, b: Bit) -> Bit:
    """a + b − 2·a·b. Depth 1."""
    return a + b - 2 * (a * b)


@of_bits
def nand(a: Bit, b: Bit) -> Bit:
    """1 − a·b. Depth 1."""
    return 1 - a * b


@of_bits
def nor(a: Bit, b: Bit) -> Bit:
    """1 − a − b + a·b. Depth 1."""
    return 1 - a - b + a * b


@of_bits
def xnor(a: Bit, b: Bit) -> Bit:
    """1 where a = b. Depth 1."""
    return 1 - a - b + 2 * (a * b)


@of_bits
def implies(a: Bit, b: Bit) -> Bit:
    """0 where a is 1 and b is 0. Depth 1."""
    return 1 - a + a * b


@of_bits
def select(bit: Bit, a: Any, b: Any) -> Any:
    """a where the bit is 1, b where it is 0; a and b are any numbers, or arrays. Depth 1."""
    a, b = (np.asarray(x, dtype=object) if isinstance(x, list | tuple) else x for x in (a, b))
    return b + bit * (a - b)


@of_bits
def and_all(bits: Bits) -> Bit:
    """Whether all n bits are 1. Depth ⌈log2 n⌉."""
    return tree(and_, bits, 1)


@of_bits
def or_all(bits: Bits) -> Bit:
    """Whether one of n bits is 1. Depth ⌈log2 n⌉."""
    return not_(tree(and_, [not_(bit) for bit in bits], 1))


@of_bits
def parity(bits: Bits) -> Bit:
    """Whether the number of ones among n bits is odd. Depth ⌈log2 n⌉."""
    return tree(xor, bits, 0)


@of_bits
def majority(a: Bit, b: Bit, c: Bit) -> Bit:
    """Whether two or three of three bits are 1. Depth 2."""
    both = a * b
    return both + c * (a + b - 2 * both)


@of_bits
def eq_bits(a: Bits, b: Bits) -> Bit:
    """Whether two numbers of n bits are equal. Depth ⌈log2 n⌉ + 1."""
    return and_all([xnor(x, y) for x, y in _pairs(a, b)])


@of_bits
def less_bits(a: Bits, b: Bits) -> Bit:
    """Whether a < b, for numbers of n bits. Depth ⌈log2 n⌉ + 1."""
    return _compared(a, b)[0]


@of_bits
def less_equal_bits(a: Bits, b: Bits) -> Bit:
    """Whether a ≤ b, for numbers of n bits. Depth ⌈log2 n⌉ + 1."""
    return not_(less_bits(b, a))


@of_bits
def compare_bits(a: Bits, b: Bits) -> tuple[Bit, Bit, Bit]:
    """Whether a < b, a = b and a > b, for numbers of n bits. Depth ⌈log2 n⌉ + 1."""
    less, equal = _compared(a, b)
    return less, equal, 1 - less - equal


@of_bits
def min_bits(a: Bits, b: Bits) -> list[Bit]:
    """The smaller of two numbers of n bits. Depth ⌈log2 n⌉ + 2."""
    less = less_bits(a, b)
    return [select(less, x, y) for x, y in zip(a, b, strict=True)]


@of_bits
def max_bits(a: Bits, b: Bits) -> list[Bit]:
    """The larger of two numbers of n bits. Depth ⌈log2 n⌉ + 2."""
    less = less_bits(a, b)
    return [select(less, y, x) for x, y in zip(a, b, strict=True)]


@of_bits
def one_hot(bits: Bits) -> list[Bit]:
    """For a number of k bits, 2^k bits of which the one at its place is 1. Depth ⌈log2 k⌉."""
    if not bit_count(bits):
        return [1]
    if len(bits) == 1:
        return [not_(bits[0]), bits[0]]
    low, high = one_hot(bits[: len(bits) // 2]), one_hot(bits[len(bits) // 2 :])
    return [lower * upper for upper in high for lower in low]


@of_bits
def multiplexer(bits: Bits, values: Sequence[Any]) -> Any:
    """values[number of the k bits], of 2^k values: any numbers, or arrays. Depth ⌈log2 k⌉ + 1.

    About 2^(k + 1) products; a tree of ``select`` has half as many, and depth k.
    """
    if len(values) != 1 << bit_count(bits):
        raise UserError(
            f"a multiplexer of {len(bits)} bits was given {len(values)} values; "
            f"{1 << len(bits)} are needed"
        )
    arrays = [np.asarray(v, dtype=object) if isinstance(v, list | tuple) else v for v in values]
    return sum(hot * value for hot, value in zip(one_hot(bits), arrays, strict=True))


def to_bits(number: int, length: int) -> list[int]:
    """The bits of a number that is known, the one of 2⁰ first."""
    if not isinstance(number, int | np.integer):
        raise UserError(
            f"{shown(number)} was given to to_bits; a whole number that is known is needed"
        )
    if isinstance(length, bool) or not isinstance(length, int | np.integer):
        raise UserError(f"the length of to_bits is {shown(length)}; a whole number is needed")
    if length < 0 or not 0 <= number < 1 << int(length):
        raise UserError(
            f"{shown(number)} has no {length} bits; a whole number from 0 on and below 2^{length} "
            "is needed"
        )
    return [int(number) >> place & 1 for place in range(length)]


@of_bits
def from_bits(bits: Bits) -> Any:
    """The number that bits are: Σ 2^i · bits[i]. Depth 0."""
    if isinstance(bits, np.ndarray) and bits.dtype.kind == "i" and len(bits) > LONGEST:
        bits = bits.astype(object)
    return sum(bit * (1 << place) for place, bit in enumerate(bits))


def carried(low: tuple[Bit, Bit], high: tuple[Bit, Bit]) -> tuple[Bit, Bit]:
    """Two groups of places as one: whether it decides by itself, and whether it passes on.

    Of a sum, whether it makes a carry; of a comparison, whether it is less. Depth 1.
    """
    # At most one of the two terms is 1, so that their sum is their or.
    return high[0] + high[1] * low[0], high[1] * low[1]


def _compared(a: Bits, b: Bits) -> tuple[Bit, Bit]:
    """Whether a < b, and whether a = b."""
    places = [((1 - x) * y, xnor(x, y)) for x, y in _pairs(a, b)]
    return tree(carried, places, (0, 1))


def bit_count(bits: Bits) -> int:
    """How many bits a number has; ``UserError`` for a number that is not given by its bits."""
    try:
        return len(bits)
    except TypeError:
        raise UserError(
            f"{shown(bits)} is one number, and its bits are needed, the one of 2⁰ first "
            "(of a number that is known: to_bits(number, length))"
        ) from None


def _pairs(a: Bits, b: Bits) -> list[tuple[Bit, Bit]]:
    if bit_count(a) != bit_count(b):
        raise UserError(
            f"numbers of {len(a)} and {len(b)} bits were compared; both need as many (add zeros)"
        )
    return list(zip(a, b, strict=True))
