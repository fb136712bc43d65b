"""What recall asks of a sequence: induction heads, selective copying, associative recall."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestiary.circuits.bits import xnor
from bestiary.circuits.circuit import Circuit
from bestiary.circuits.library.entry import LibraryCircuit
from bestiary.circuits.library.formula import Formula
from bestiary.circuits.library.polynomial_multiplication import multiplied
from bestiary.circuits.library.sizes import need
from bestiary.circuits.library.trees import Array, filled, product, total
from bestiary.circuits.scans import aligned_blocks, blocks_before, tree
from bestiary.circuits.tracing import circuit


def induction_head(n: int, bits: int = 3) -> Circuit:
    """tokens (n, bits) → (n, bits): the token after the latest earlier one like that at t.

    0 where there was none. Blocks of earlier positions give what their latest match copies and
    whether they have none; the oldest block is one short, so that the copied bit, one factor more
    than the matches, does not make the tree deeper: ⌈log2 n⌉ above a comparison.
    """
    need(n=n, bits=bits)

    @circuit(tokens=(n, bits))
    def copied(tokens: Array) -> Array:
        found = filled((n, bits), 0)
        for t in range(1, n):
            matches = [(filled(bits, 0), 1)]
            for j in range(t):
                same = _agreeing(tokens[j], tokens[t])
                matches.append((product([*same, tokens[j + 1]]), 1 - product(same)))
            found[t] = tree(_latest, matches)[0]
        return found

    return copied


def selective_copy(n: int, bits: int = 1, keep: int | None = None) -> Circuit:
    """flags (n,) of bits and tokens (n, bits) → (keep, bits): flagged tokens in order, then zeros.

    keep: how many are kept, n if not said. Each token meets the one-hot counts of flags before it,
    ⌈log2 (n + 1)⌉ products deep, the least for the degree n + 1.
    """
    need(n=n, bits=bits)
    kept = n if keep is None else keep
    need(keep=kept)

    @circuit(flags=n, tokens=(n, bits))
    def copied(flags: Array, tokens: Array) -> Array:
        counts = aligned_blocks(
            lambda a, b: multiplied(a, b, kept), [[1 - flag, flag][:kept] for flag in flags]
        )
        places: list[list[Any]] = [[] for _ in range(kept)]
        for t in range(n):
            placed = [flags[t] * tokens[t]]
            for before in blocks_before(counts, t):
                placed = multiplied(before, placed, kept)
            for place, token in enumerate(placed):
                places[place].append(token)
        nothing = filled(bits, 0)
        return np.stack([total(tokens) if tokens else nothing for tokens in places])

    return copied


def associative_recall(n: int, bits: int = 3, value_bits: int = 3, queries: int = 2) -> Circuit:
    """keys (n, bits), values (n, value_bits), queries (queries, bits) → (queries, value_bits).

    For each query the value of the key like it, 0 if there is none; values of equal keys add up.
    The value is one factor among the comparisons of a key's bits: 1 + ⌈log2 (bits + 1)⌉ products
    deep, the least for the degree 2·bits + 1.
    """
    need(n=n, bits=bits, value_bits=value_bits, queries=queries)

    @circuit(keys=(n, bits), values=(n, value_bits), queries=(queries, bits))
    def recalled(keys: Array, values: Array, queries: Array) -> Array:
        return np.stack(
            [
                total(
                    product([*_agreeing(key, query), value])
                    for key, value in zip(keys, values, strict=True)
                )
                for query in queries
            ]
        )

    return recalled


def _agreeing(a: Array, b: Array) -> list[Any]:
    return [xnor(x, y) for x, y in zip(a, b, strict=True)]


def _latest(old: tuple[Array, Any], new: tuple[Array, Any]) -> tuple[Array, Any]:
    """What is copied and whether nothing is, of two blocks of positions."""
    return new[0] + new[1] * old[0], new[1] * old[1]


CIRCUITS = (
    LibraryCircuit(
        name="induction-head",
        family="recall",
        description="At each position the token after the latest earlier one like it",
        build=induction_head,
        n_is="positions",
        source="C. Olsson et al., In-context learning and induction heads (2022)",
        multiplicative_depth=Formula("≤ min(n - 1, 1)*(1 + lg(bits)) + lg(n)"),
        depth=Formula("≤ 2*lg(n) + lg(bits) + 3"),
        most=64,
        bits=True,
    ),
    LibraryCircuit(
        name="selective-copy",
        family="recall",
        description="The flagged tokens of a sequence, in order",
        build=selective_copy,
        n_is="positions",
        source="A. Gu and T. Dao, Mamba (2023)",
        multiplicative_depth=Formula("lg(n + 1)"),
        depth=Formula("≤ max(1, lg(n)*(lg(n) + 5)//2)"),
        most=64,
        bits=True,
    ),
    LibraryCircuit(
        name="associative-recall",
        family="recall",
        description="The values of the keys that two queries ask for",
        build=associative_recall,
        n_is="pairs of key and value",
        source="S. Arora et al., Zoology (2023)",
        multiplicative_depth=Formula("1 + lg(bits + 1)"),
        depth=Formula("3 + lg(bits + 1) + lg(n)"),
        most=256,
        bits=True,
    ),
)
