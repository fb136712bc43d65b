"""Sorting, ranking and finding the greatest of n numbers given by bits."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from bestiary.circuits.bits import less_bits
from bestiary.circuits.circuit import Circuit
from bestiary.circuits.library.comparators import exchange
from bestiary.circuits.library.entry import LibraryCircuit
from bestiary.circuits.library.formula import Formula, lg
from bestiary.circuits.library.polynomial_multiplication import multiplied
from bestiary.circuits.library.sizes import need, one_of
from bestiary.circuits.library.trees import Array, listed, product
from bestiary.circuits.scans import tree
from bestiary.circuits.tracing import circuit

METHODS = ("bitonic", "odd-even", "rank")
Pair = tuple[int, int]


def sort(n: int, bits: int = 4, payload: int = 0, method: str = "bitonic") -> Circuit:
    """keys (n, bits), least significant bit first → the same in ascending order.

    payload: numbers that go with each key; the circuit then takes payload (n, payload) too, and
    gives keys and payload. method: bitonic or odd-even (networks of ⌈log2 n⌉(⌈log2 n⌉ + 1)/2
    steps; K. E. Batcher, AFIPS Spring Joint Computer Conference 1968), or rank (every pair is
    compared and each key put at the place of its rank; equal ones keep their order).
    """
    need(n=n, bits=bits)
    need(payload=payload, at_least=0)
    one_of(METHODS, method=method)
    by_method = _ranked if method == "rank" else _networked
    steps = list(bitonic_steps(n) if method == "bitonic" else odd_even_steps(n))

    def ordered(keys: Array, goods: Array) -> tuple[Array, Array]:
        return by_method(keys, goods, steps)

    if payload:

        @circuit(keys=(n, bits), payload=(n, payload))
        def pairs(keys: Array, payload: Array) -> dict[str, Array]:
            sorted_keys, sorted_payload = ordered(keys, payload)
            return {"keys": sorted_keys, "payload": sorted_payload}

        return pairs

    @circuit(keys=(n, bits))
    def alone(keys: Array) -> Array:
        return ordered(keys, keys[:, :0])[0]

    return alone


def argmax(n: int, bits: int = 4) -> Circuit:
    """x (n, bits), least significant bit first → (n,): 1 at the greatest, the first of equal ones.

    Every pair is compared once; the greatest is the one that none beats.
    """
    need(n=n, bits=bits)

    @circuit(x=(n, bits))
    def greatest(x: Array) -> Any:
        wins: dict[Pair, Any] = {}
        for i, j in combinations(range(n), 2):
            wins[j, i] = less_bits(list(x[i]), list(x[j]))
            wins[i, j] = 1 - wins[j, i]
        return [product(wins[i, j] for j in range(n) if j != i) for i in range(n)]

    return greatest


def bitonic_steps(n: int) -> Iterator[list[Pair]]:
    """Comparisons (i, j), i < j, made at once, the lesser to go to i; of a network of n wires.

    All of a larger network that touches wires past the last is left out: they hold the greatest.
    """
    size = 2
    while size < 2 * n:
        flips = [size - 1] + [size >> t for t in range(2, size.bit_length())]
        for flip in flips:
            yield [(i, i ^ flip) for i in range(n) if i < i ^ flip < n]
        size *= 2


def odd_even_steps(n: int) -> Iterator[list[Pair]]:
    """Comparisons as of ``bitonic_steps``, by Batcher's merge exchange for any n."""
    first = 1 << lg(n) >> 1
    p = first
    while p:
        q, r, distance = first, 0, p
        while True:
            yield [(i, i + distance) for i in range(n - distance) if i & p == r]
            if q == p:
                break
            distance, q, r = q - p, q >> 1, p
        p >>= 1


def _networked(keys: Array, goods: Array, steps: list[list[Pair]]) -> tuple[Array, Array]:
    keys, goods = keys.copy(), goods.copy()
    for step in steps:
        for i, j in step:
            lesser, greater, kept = exchange(keys[i], keys[j])
            keys[i], keys[j] = listed(lesser), listed(greater)
            moved = kept * (goods[i] - goods[j])
            goods[i], goods[j] = goods[j] + moved, goods[i] - moved
    return keys, goods


def _ranked(keys: Array, goods: Array, _: object) -> tuple[Array, Array]:
    """Key i times the one-hot of how many come before it, summed over all i.

    The key is one factor among the n − 1 comparisons, so that it adds no product to the depth of a
    tree unless n − 1 is a power of two.
    """
    n, bits = keys.shape
    before: dict[Pair, Any] = {}
    for i, j in combinations(range(n), 2):
        before[j, i] = less_bits(list(keys[j]), list(keys[i]))
        before[i, j] = 1 - before[j, i]
    places = []
    for i in range(n):
        counts = [[1 - before[j, i], before[j, i]] for j in range(n) if j != i]
        places.append(tree(multiplied, [[listed([*keys[i], *goods[i]])], *counts]))
    found = np.stack([tree(operator.add, column) for column in zip(*places, strict=True)])
    return found[:, :bits], found[:, bits:]


CIRCUITS = (
    LibraryCircuit(
        name="sort-bitonic",
        family="sorting and selecting",
        description="Keys of four bits in ascending order, by Batcher's bitonic network",
        build=sort,
        n_is="keys",
        source="K. E. Batcher, AFIPS Spring Joint Computer Conference (1968)",
        multiplicative_depth=Formula("≤ (1 + lg(bits))*lg(n)*(lg(n) + 1)//2 + min(payload, 1)"),
        depth=Formula("≤ (2*lg(bits) + 4)*lg(n)*(lg(n) + 1)//2 + 2*min(payload, 1)"),
        options={"method": "bitonic"},
        sizes=(1, 2, 3, 4, 5, 8),
        most=64,
        bits=True,
    ),
    LibraryCircuit(
        name="sort-odd-even",
        family="sorting and selecting",
        description="Keys of four bits in ascending order, by Batcher's odd-even merges",
        build=sort,
        n_is="keys",
        source="K. E. Batcher, AFIPS Spring Joint Computer Conference (1968)",
        multiplicative_depth=Formula("≤ (1 + lg(bits))*lg(n)*(lg(n) + 1)//2 + min(payload, 1)"),
        depth=Formula("≤ (2*lg(bits) + 4)*lg(n)*(lg(n) + 1)//2 + 2*min(payload, 1)"),
        options={"method": "odd-even"},
        sizes=(1, 2, 3, 4, 5, 8),
        most=64,
        bits=True,
    ),
    LibraryCircuit(
        name="sort-rank",
        family="sorting and selecting",
        description="Keys of four bits in ascending order, each put at the place of its rank",
        build=sort,
        n_is="keys",
        source="D. E. Knuth, The Art of Computer Programming 3, section 5.2 (comparison counting)",
        multiplicative_depth=Formula("min(n - 1, 1)*(1 + lg(bits)) + lg(n)"),
        depth=Formula("≤ lg(n)*(lg(n) + 3)//2 + 2*lg(bits) + lg(n) + 4"),
        options={"method": "rank"},
        sizes=(1, 2, 3, 4, 5, 8),
        most=24,
        bits=True,
    ),
    LibraryCircuit(
        name="argmax",
        family="sorting and selecting",
        description="The place of the greatest of numbers of four bits, one-hot",
        build=argmax,
        n_is="numbers",
        source="Every pair compared, and the product of what one wins",
        multiplicative_depth=Formula("min(n - 1, 1)*(1 + lg(bits)) + lg(n - 1)"),
        depth=Formula("≤ lg(n) + 2*lg(bits) + 4"),
        sizes=(1, 2, 3, 4, 5, 8),
        most=64,
        bits=True,
    ),
)
