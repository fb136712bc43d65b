"""The levels of a circuit's products, and what is carried from one to the next.

A gate's level is its multiplicative depth. Products of level ℓ are formed together; the sums of
level ℓ are of them and of older values, which are carried until then.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestiary.circuits import Circuit, Operation


@dataclass(frozen=True)
class Levels:
    """products[ℓ]: the product gates of level ℓ, none at 0. kept[ℓ]: the gates of levels below ℓ
    that are still needed once the products of level ℓ are formed. sums[ℓ]: the gates of level ℓ
    that move with the inputs and are neither inputs nor products, operands first.
    """

    products: tuple[tuple[int, ...], ...]
    kept: tuple[tuple[int, ...], ...]
    sums: tuple[tuple[int, ...], ...]
    inputs: int
    outputs: int

    @property
    def depth(self) -> int:
        """D."""
        return len(self.products) - 1

    @property
    def most(self) -> int:
        """w×: the most products of a level and older values still needed; all inputs, all outputs.

        See docs/theory.md, 'Circuits'.
        """
        pairs = zip(self.products, self.kept, strict=True)
        return max(self.inputs, self.outputs, *(len(made) + len(kept) for made, kept in pairs))


def levels_of(circuit: Circuit) -> Levels:
    """Sort the gates of a circuit; those that no output needs are left out."""
    depth = circuit.multiplicative_depth
    level = circuit.levels.tolist()
    computed = circuit.moving & circuit.needed & (circuit.operations != Operation.INPUT)
    product = circuit.products.tolist()
    left, right = circuit.left.tolist(), circuit.right.tolist()
    products: list[list[int]] = [[] for _ in range(depth + 1)]
    sums: list[list[int]] = [[] for _ in range(depth + 1)]
    # The last level at whose end a gate still has to be there.
    until = [-1] * len(circuit)
    for gate in np.flatnonzero(computed).tolist():
        (products if product[gate] else sums)[level[gate]].append(gate)
        # A sum of level ℓ is taken after the products of level ℓ, a product's operands before.
        last = level[gate] - product[gate]
        for operand in (left[gate], right[gate]):
            until[operand] = max(until[operand], last)
    for gate in circuit.results.tolist():
        until[gate] = depth
    kept: list[list[int]] = [[] for _ in range(depth + 1)]
    for gate in np.flatnonzero(circuit.moving).tolist():
        for there in range(level[gate] + 1, until[gate] + 1):
            kept[there].append(gate)
    return Levels(
        products=tuple(map(tuple, products)),
        kept=tuple(map(tuple, kept)),
        sums=tuple(map(tuple, sums)),
        inputs=circuit.width_in,
        outputs=len(circuit.results),
    )
