"""Reading and writing at an address given in bits, without a path deeper than the degree asks."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from bestiary.circuits.bits import one_hot
from bestiary.circuits.circuit import Circuit
from bestiary.circuits.library.entry import LibraryCircuit
from bestiary.circuits.library.formula import Formula, lg
from bestiary.circuits.library.sizes import need
from bestiary.circuits.library.trees import Array, total
from bestiary.circuits.scans import tree
from bestiary.circuits.tracing import circuit


def multiplexer(n: int) -> Circuit:
    """x (n,) and address (⌈log2 n⌉,) of bits, least significant first → x[address], 0 past the end.

    ⌈log2(⌈log2 n⌉ + 1)⌉ products deep, the least for the degree ⌈log2 n⌉ + 1.
    """
    need(n=n)

    @circuit(x=n, address=lg(n))
    def read(x: Array, address: Array) -> Any:
        return read_at(list(x), list(address))

    return read


def permutation(n: int, width: int = 1) -> Circuit:
    """x (n, width) and key (n, ⌈log2 n⌉) of bits → (n, width): x[i] at the place key[i].

    Bits least significant first; keys that are no permutation add up what meets at a place. As
    deep as a multiplexer.
    """
    need(n=n, width=width)

    @circuit(x=(n, width), key=(n, lg(n)))
    def permuted(x: Array, key: Array) -> Array:
        written = [write_at(row, list(bits)) for row, bits in zip(x, key, strict=True)]
        return np.stack([tree(operator.add, column) for column in zip(*written, strict=True)])[:n]

    return permuted


def read_at(values: Sequence[Any], address: Sequence[Any]) -> Any:
    """The value at an address of bits; up to 2^bits values, 0 for those that lack.

    The high bits choose by one product each among what the low ones have chosen, and are as many
    as can be decoded in the same depth.
    """
    if not address:
        return values[0] if len(values) else 0
    if len(address) == 1:
        low, high = [*values, 0][:2]
        return low + address[0] * (high - low)
    low_bits = _low_bits(len(address))
    size = 1 << low_bits
    groups = [values[i : i + size] for i in range(0, len(values), size)]
    chosen = [read_at(group, address[:low_bits]) for group in groups]
    return total(a * b for a, b in zip(chosen, one_hot(address[low_bits:]), strict=False))


def write_at(value: Any, address: Sequence[Any]) -> list[Any]:
    """2^bits places, the value at the address of bits and 0 at all others."""
    if not address:
        return [value]
    low_bits = _low_bits(len(address))
    low = write_at(value, address[:low_bits])
    return [part * bit for bit in one_hot(address[low_bits:]) for part in low]


def _low_bits(bits: int) -> int:
    """How many bits to join with the value, so that it is as deep as the others decoded."""
    return (1 << lg(bits + 1) - 1) - 1


CIRCUITS = (
    LibraryCircuit(
        name="multiplexer",
        family="arithmetic on bits",
        description="The value at an address given in bits",
        build=multiplexer,
        n_is="values",
        source="A decoder of the high bits over multiplexers of the low ones",
        multiplicative_depth=Formula("lg(lg(n) + 1)"),
        depth=Formula("≤ lg(n) + lg(lg(n) + 1) + 1"),
    ),
    LibraryCircuit(
        name="permutation",
        family="arithmetic on bits",
        description="Values put at the places that their keys say",
        build=permutation,
        n_is="values",
        source="One decoder a value, with the value as a factor",
        multiplicative_depth=Formula("lg(lg(n) + 1)"),
        depth=Formula("≤ lg(n) + lg(lg(n) + 1) + 1"),
        most=64,
    ),
)
