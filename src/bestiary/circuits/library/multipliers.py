"""The product of two numbers of n bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bestiary.circuits.adders import multiply_bits
from bestiary.circuits.circuit import Circuit
from bestiary.circuits.library.counting import count_of
from bestiary.circuits.library.entry import LibraryCircuit
from bestiary.circuits.library.formula import Formula
from bestiary.circuits.library.sizes import need, one_of
from bestiary.circuits.library.trees import Array, filled, listed, matmul, total
from bestiary.circuits.scans import aligned_blocks, blocks_before
from bestiary.circuits.tracing import circuit


def multiplier(n: int, method: str = "carry-save") -> Circuit:
    """a, b (n,) of bits, least significant first → (2n,), the bits of a·b.

    method: carry-save (three numbers are made two until two are left, which are added; O(n²) gates;
    C. S. Wallace, IEEE Transactions on Electronic Computers EC-13, 1964) or counting (ones are
    counted by column, and carries found by a tree of products of their transition matrices:
    2 + 2⌈log2 n⌉ products deep).
    """
    need(n=n)
    one_of(("carry-save", "counting"), method=method)

    @circuit(a=n, b=n)
    def times(a: Array, b: Array) -> Any:
        return (multiply_bits if method == "carry-save" else _counted)(list(a), list(b))

    return times


def _counted(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    """Bit k as (row of carry 0) · T_0 ⋯ T_(k−1) · (column of the bit by the carry that comes in).

    T_k[c, d] is 1 if column k and the carry c give the carry d.
    """
    columns: list[list[Any]] = [[] for _ in range(len(a) + len(b))]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            columns[i + j].append(x * y)
    counts = [count_of(column) if column else [1] for column in columns]
    steps, bits, most = [], [], 0
    for count in counts:
        after = (most + len(count) - 1) // 2
        step = filled((most + 1, after + 1), 0)
        for carry in range(most + 1):
            for d in range(after + 1):
                step[carry, d] = total(count[max(2 * d - carry, 0) : max(2 * d + 2 - carry, 0)])
        steps.append(step)
        odd, even = total(count[1::2]), total(count[0::2])
        bits.append(listed([even if carry % 2 else odd for carry in range(most + 1)]))
        most = after
    levels = aligned_blocks(matmul, steps)
    return [_met(bit, levels, place) for place, bit in enumerate(bits)]


def _met(column: Array, levels: Sequence[Sequence[Array]], place: int) -> Any:
    for block in blocks_before(levels, place):
        column = matmul(block, column)
    return column[0]


CIRCUITS = (
    LibraryCircuit(
        name="multiplier-carry-save",
        family="arithmetic on bits",
        description="The product of two numbers, three rows made two until two are left",
        build=multiplier,
        n_is="bits of each",
        source="C. S. Wallace, IEEE Transactions on Electronic Computers EC-13 (1964)",
        multiplicative_depth=Formula("≤ 2*carry_saves(n) + lg(2*n) + 3"),
        depth=Formula("≤ 6*carry_saves(n) + 2*lg(2*n) + 5"),
        options={"method": "carry-save"},
        sizes=(1, 2, 3, 4, 5, 6, 8),
        most=64,
        bits=True,
    ),
    LibraryCircuit(
        name="multiplier-counting",
        family="arithmetic on bits",
        description="The product of two numbers, columns counted and carries by a tree",
        build=multiplier,
        n_is="bits of each",
        source="Columns as one-hot counts, carries as a finite automaton",
        multiplicative_depth=Formula("≤ 2*lg(n) + 2"),
        depth=Formula("≤ 10*lg(n) + 1"),
        options={"method": "counting"},
        sizes=(1, 2, 3, 4, 5, 6),
        most=12,
        bits=True,
    ),
)
