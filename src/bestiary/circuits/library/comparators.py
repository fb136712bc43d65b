"""Which of two numbers of n bits is less, from the highest bits down as a balanced tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bestiary.circuits.bits import compare_bits, eq_bits
from bestiary.circuits.circuit import Circuit
from bestiary.circuits.library.entry import LibraryCircuit
from bestiary.circuits.library.formula import Formula
from bestiary.circuits.library.sizes import need
from bestiary.circuits.library.trees import Array, Vector
from bestiary.circuits.scans import aligned_blocks, blocks_before, tree
from bestiary.circuits.tracing import circuit


def comparator(n: int) -> Circuit:
    """a, b (n,) of bits, least significant first → bits less (a < b), equal and greater."""
    need(n=n)

    @circuit(a=n, b=n)
    def compared(a: Array, b: Array) -> dict[str, Any]:
        return dict(zip(("less", "equal", "greater"), compare_bits(list(a), list(b)), strict=True))

    return compared


def equality(n: int) -> Circuit:
    """a, b (n,) of bits → 1 if they are the same."""
    need(n=n)

    @circuit(a=n, b=n)
    def same(a: Array, b: Array) -> Any:
        return eq_bits(list(a), list(b))

    return same


@dataclass(frozen=True)
class Order:
    """What some bits of two numbers say: bits for a < b and for a = b."""

    less: Any
    equal: Any

    def then(self, lower: Order) -> Order:
        """With bits of less weight, which count where these are equal."""
        return Order(self.less + self.equal * lower.less, self.equal * lower.equal)


def exchange(a: Vector, b: Vector) -> tuple[list[Any], list[Any], Any]:
    """The lesser and the greater of two numbers, and the bit a ≤ b.

    Bits, least significant first. Every bit of the two is 1 + ⌈log2 n⌉ products deep, no deeper
    than the comparison itself: bit i of the greater exceeds that of a by w = less·(b_i − a_i),
    where ``less`` is of the bits from i up. The lowest gives w = (1 − a_i)·b_i, and each block of
    higher ones makes it equal·w + less·(b_i − a_i).
    """
    orders = [_bit_order(*pair) for pair in zip(a[::-1], b[::-1], strict=True)]
    levels = aligned_blocks(Order.then, orders)
    lesser, greater = [], []
    for i, (x, y) in enumerate(zip(a[::-1], b[::-1], strict=True)):
        more = orders[i].less
        for higher in blocks_before(levels, i):
            more = higher.equal * more + higher.less * (y - x)
        lesser.append(y - more if i else x * y)
        greater.append(x + more)
    whole = tree(Order.then, orders)
    return lesser[::-1], greater[::-1], whole.less + whole.equal


def _bit_order(x: Any, y: Any) -> Order:
    # One product serves both: x = y is 1 − x − y + 2xy.
    both = x * y
    return Order(y - both, (1 - (x + y)) + 2 * both)


CIRCUITS = (
    LibraryCircuit(
        name="comparator",
        family="arithmetic on bits",
        description="Which of two numbers is less, or whether they are equal",
        build=comparator,
        n_is="bits of each",
        source="Comparison from the highest bit, as a tree",
        multiplicative_depth=Formula("1 + lg(n)"),
        depth=Formula("≤ 2*lg(n) + 5"),
        size=Formula("9*n - 1"),
        bits=True,
    ),
    LibraryCircuit(
        name="equality",
        family="arithmetic on bits",
        description="Whether two numbers are equal",
        build=equality,
        n_is="bits of each",
        source="The product of all agreements",
        multiplicative_depth=Formula("1 + lg(n)"),
        depth=Formula("3 + lg(n)"),
        size=Formula("6*n - 1"),
        products=Formula("2*n - 1"),
        bits=True,
    ),
)
