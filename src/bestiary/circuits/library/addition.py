"""Sums of two numbers of n bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bestiary.circuits.adders import ripple_add
from bestiary.circuits.bits import carried
from bestiary.circuits.circuit import Circuit
from bestiary.circuits.library.entry import LibraryCircuit
from bestiary.circuits.library.formula import Formula
from bestiary.circuits.library.sizes import need, one_of
from bestiary.circuits.library.trees import Array
from bestiary.circuits.scans import aligned_blocks, blocks_before
from bestiary.circuits.tracing import circuit


def adder(n: int, method: str = "lookahead") -> Circuit:
    """a, b (n,) of bits, least significant first → (n + 1,), the bits of a + b.

    method: ripple (a carry from bit to bit) or lookahead (carries by a tree, 1 + ⌈log2 n⌉ products
    deep, the least for the degree 2n).
    """
    need(n=n)
    one_of(("ripple", "lookahead"), method=method)
    add = added if method == "lookahead" else ripple_add

    @circuit(a=n, b=n)
    def plus(a: Array, b: Array) -> Any:
        return add(list(a), list(b))

    return plus


def added(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    """The bits of a + b, from bits of the same number, least significant first.

    Bit i turns the carry c that comes in into g + p·c, and gives p + (1 − 2p)·c. Both are affine in
    c, so that the bits below are folded into the second as a tree, and it is no deeper than the
    carry out.
    """
    pairs = [_generate_propagate(x, y) for x, y in zip(a, b, strict=True)]
    levels = aligned_blocks(carried, pairs)
    found = []
    for i, (_, propagate) in enumerate(pairs):
        found.append(_met(propagate, 1 - 2 * propagate if i else 0, levels, i))
    return [*found, _met(0, 1, levels, len(pairs))]


def _generate_propagate(x: Any, y: Any) -> tuple[Any, Any]:
    both = x * y
    return both, (x + y) - 2 * both


def _met(constant: Any, factor: Any, levels: Sequence[Sequence[Any]], place: int) -> Any:
    """constant + factor·c, where c is the carry into a place."""
    for generate, propagate in blocks_before(levels, place):
        constant, factor = constant + factor * generate, factor * propagate
    return constant


CIRCUITS = (
    LibraryCircuit(
        name="adder-ripple",
        family="arithmetic on bits",
        description="The sum of two numbers, a carry from bit to bit",
        build=adder,
        n_is="bits of each",
        source="M. M. Mano, Digital Design, section 4.5",
        multiplicative_depth=Formula("n"),
        depth=Formula("≤ 2*n + 2"),
        size=Formula("9*n - 5"),
        products=Formula("2*n - 1"),
        options={"method": "ripple"},
        bits=True,
    ),
    LibraryCircuit(
        name="adder-lookahead",
        family="arithmetic on bits",
        description="The sum of two numbers, carries by a tree",
        build=adder,
        n_is="bits of each",
        source="J. Sklansky, IRE Transactions on Electronic Computers EC-9 (1960)",
        multiplicative_depth=Formula("1 + lg(n)"),
        depth=Formula("≤ 2*lg(n) + 5"),
        options={"method": "lookahead"},
        bits=True,
    ),
)
