"""How many of n bits are 1: parity, majority, thresholds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bestiary.circuits import bits
from bestiary.circuits.circuit import Circuit
from bestiary.circuits.library.entry import LibraryCircuit
from bestiary.circuits.library.formula import Formula
from bestiary.circuits.library.polynomial_multiplication import multiplied
from bestiary.circuits.library.sizes import need
from bestiary.circuits.library.trees import Array, product, total
from bestiary.circuits.scans import tree
from bestiary.circuits.tracing import circuit
from bestiary.errors import UserError


def parity(n: int) -> Circuit:
    """x (n,) of 0 and 1 → 1 if an odd number of them is 1: a tree of a + b − 2ab."""
    need(n=n)

    @circuit(x=n)
    def odd(x: Array) -> Any:
        return bits.parity(list(x))

    return odd


def signed_parity(n: int) -> Circuit:
    """x (n,) of 1 and −1 → −1 if an odd number of them is −1, else 1: their product."""
    need(n=n)

    @circuit(x=n)
    def sign(x: Array) -> Any:
        return product(x)

    return sign


def majority(n: int) -> Circuit:
    """x (n,) of 0 and 1 → 1 if more than half of them are 1."""
    need(n=n)
    return threshold(n, n // 2 + 1)


def threshold(n: int, least: int = 2) -> Circuit:
    """x (n,) of 0 and 1 → 1 if at least ``least`` of them are 1; least from 0 to n + 1.

    One less the bits for 0, …, least − 1 ones, or if that is shorter the sum of those for
    0, …, n − least zeros.
    """
    need(n=n)
    need(least=least, at_least=0)
    if least > n + 1:
        raise UserError(f"least is {least}; at most {n + 1}, one more than n, is taken")

    @circuit(x=n)
    def reached(x: Array) -> Any:
        ones = [[1 - bit, bit] for bit in x]
        if 2 * least <= n:
            return 1 - total(_counts(ones, least))
        return total(_counts([pair[::-1] for pair in ones], n + 1 - least))

    return reached


def count(n: int) -> Circuit:
    """x (n,) of 0 and 1 → (n + 1,): 1 at the place that is the number of ones, else 0."""
    need(n=n)

    @circuit(x=n)
    def counted(x: Array) -> Any:
        return count_of(x)

    return counted


def count_of(given: Iterable[Any]) -> list[Any]:
    """One-hot, how many of one or more bits are 1: the coefficients of Π ((1 − x) + x t).

    All values on the way are bits again, so that nothing grows and nothing cancels.
    """
    return _counts([[1 - bit, bit] for bit in given], None)


def _counts(pairs: Iterable[list[Any]], most: int | None) -> list[Any]:
    """The coefficients of the product of all (a + b t), from the lowest, at most so many."""
    return tree(lambda a, b: multiplied(a, b, most), [pair[:most] for pair in pairs])


CIRCUITS = (
    LibraryCircuit(
        name="parity",
        family="counting bits",
        description="Whether the number of ones is odd, of bits 0 and 1",
        build=parity,
        n_is="bits",
        source="a xor b = a + b − 2ab",
        multiplicative_depth=Formula("lg(n)"),
        depth=Formula("3*lg(n)"),
        size=Formula("4*(n - 1)"),
        products=Formula("n - 1"),
        bits=True,
    ),
    LibraryCircuit(
        name="signed-parity",
        family="counting bits",
        description="Parity of bits given as 1 and −1",
        build=signed_parity,
        n_is="bits",
        source="Parity is a product of signs",
        multiplicative_depth=Formula("lg(n)"),
        depth=Formula("lg(n)"),
        size=Formula("n - 1"),
        products=Formula("n - 1"),
    ),
    LibraryCircuit(
        name="majority",
        family="counting bits",
        description="Whether more than half of the bits are 1",
        build=majority,
        n_is="bits",
        source="One-hot counts: coefficients of Π ((1 − x) + x t)",
        multiplicative_depth=Formula("lg(n)"),
        depth=Formula("≤ max(0, lg(n)*(lg(n) + 5)//2 - 1)"),
        most=256,
        bits=True,
    ),
    LibraryCircuit(
        name="threshold",
        family="counting bits",
        description="Whether at least two of the bits are 1",
        build=threshold,
        n_is="bits",
        source="One-hot counts: coefficients of Π ((1 − x) + x t)",
        multiplicative_depth=Formula("lg(n)"),
        depth=Formula("≤ (lg(n) + 1)*lg(min(least, n + 1 - least)) + lg(n) + 2"),
        most=256,
        bits=True,
    ),
    LibraryCircuit(
        name="count",
        family="counting bits",
        description="How many bits are 1, one-hot",
        build=count,
        n_is="bits",
        source="Coefficients of Π ((1 − x) + x t)",
        multiplicative_depth=Formula("lg(n)"),
        depth=Formula("≤ lg(n)*(lg(n) + 3)//2 + 1"),
        most=256,
        bits=True,
    ),
)
