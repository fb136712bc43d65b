"""Sums and products of numbers that are given as bits, the one of 2⁰ first.

Everything is said as in ``bestiary.circuits.bits``; n is the length of the longer number, and the
shorter one is filled up with zeros.
"""

from __future__ import annotations

from bestiary.circuits.bits import Bit, Bits, bit_count, carried, majority, not_, xor
from bestiary.circuits.plain_bits import of_bits
from bestiary.circuits.scans import sklansky


@of_bits
def half_adder(a: Bit, b: Bit) -> tuple[Bit, Bit]:
    """a + b as the sum's bit and the carry. Depth 1."""
    both = a * b
    return a + b - 2 * both, both


@of_bits
def full_adder(a: Bit, b: Bit, c: Bit) -> tuple[Bit, Bit]:
    """a + b + c as the sum's bit and the carry. Depth 2; from c, depth 1."""
    return xor(xor(a, b), c), majority(a, b, c)


@of_bits
def ripple_add(a: Bits, b: Bits, carry: Bit = 0) -> list[Bit]:
    """a + b + carry, in n + 1 bits, one place after the other.

    Depth n, or n + 1 with a carry that is no constant. 3n products or fewer.
    """
    done = []
    for x, y in _aligned(a, b):
        both = x * y
        either = x + y - 2 * both
        done.append(xor(either, carry))
        carry = both + either * carry
    return [*done, carry]


@of_bits
def lookahead_add(a: Bits, b: Bits, carry: Bit = 0) -> list[Bit]:
    """a + b + carry, in n + 1 bits, all carries at once (Sklansky's prefix tree).

    Depth ⌈log2 n⌉ + 2 at most, and one more with a carry that is no constant; n log2 n products.
    """
    # Of each place: whether it makes a carry, and whether it passes one on.
    makes_and_passes = [(x * y, xor(x, y)) for x, y in _aligned(a, b)]
    prefixes = sklansky(carried, makes_and_passes)
    carries = [carry, *(makes + passes * carry for makes, passes in prefixes)]
    sums = [xor(either, c) for (_, either), c in zip(makes_and_passes, carries, strict=False)]
    return [*sums, carries[-1]]


@of_bits
def subtract_bits(a: Bits, b: Bits) -> tuple[list[Bit], Bit]:
    """a − b modulo 2ⁿ, and whether a < b. Depth ⌈log2 n⌉ + 2 at most.

    Numbers below 0 come out as two's complement.
    """
    pairs = _aligned(a, b)
    # a − b = a + (2ⁿ − 1 − b) + 1 − 2ⁿ
    done = lookahead_add([x for x, _ in pairs], [not_(y) for _, y in pairs], 1)
    return done[:-1], not_(done[-1])


@of_bits
def multiply_bits(a: Bits, b: Bits) -> list[Bit]:
    """a · b, in as many bits as both have together.

    Rows of products are added three to two (Wallace's tree, r rows in W(r) rounds: W(2) = 0,
    W(r) = 1 + W(⌈2r/3⌉)), and the last two by ``lookahead_add``. Depth
    2·W(m) + ⌈log2 (n + m)⌉ + 3 at most, for n and m bits, m ≤ n.
    """
    if bit_count(a) < bit_count(b):
        a, b = b, a
    if not len(b):
        return [0] * len(a)
    # One row for each bit of the shorter number, shifted to its place.
    rows = [[*[0] * j, *(x * y for x in a), *[0] * (len(b) - j)] for j, y in enumerate(b)]
    while len(rows) > 2:
        whole = len(rows) - len(rows) % 3
        added = [row for start in range(0, whole, 3) for row in _saved(*rows[start : start + 3])]
        rows = added + rows[whole:]
    # The last carry is 0, for the product has no more bits.
    return lookahead_add(rows[0], [] if len(rows) == 1 else rows[1])[:-1]


def _saved(a: Bits, b: Bits, c: Bits) -> tuple[list[Bit], list[Bit]]:
    """Three rows as two of the same sum: bits, and carries one place further."""
    sums = [full_adder(*bits) for bits in zip(a, b, c, strict=True)]
    return [one for one, _ in sums], [0, *(carry for _, carry in sums[:-1])]


def _aligned(a: Bits, b: Bits) -> list[tuple[Bit, Bit]]:
    length = max(bit_count(a), bit_count(b))
    longer = ([*bits, *[0] * (length - len(bits))] for bits in (a, b))
    return list(zip(*longer, strict=True))
