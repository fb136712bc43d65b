"""What of a circuit is known, and for what it is still needed.

A circuit is products and sums here. A sum has as leaves inputs, products, and sums that more than
one gate uses; a sum that one other sum uses alone is part of that one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from bestiary.circuits import Circuit, Operation
from bestiary.compile.from_circuit.affine import Affine, Affines

OUTPUT = -1
"""Stands among the users of a gate that comes out."""


class Needs:
    """Sums and products in the order in which they become known.

    sides: the two factors of every product. sums: the leaves of every sum. fixed: sums without any.
    users: for each gate those that are not known and need it. products: those that are not known.
    """

    def __init__(self, circuit: Circuit) -> None:
        needed = circuit.moving & circuit.needed
        self.inputs: list[int] = np.flatnonzero(circuit.operations == Operation.INPUT).tolist()
        self.products: list[int] = np.flatnonzero(circuit.products & needed).tolist()
        self.sides = {
            gate: (int(circuit.left[gate]), int(circuit.right[gate])) for gate in self.products
        }
        sums = _sums(circuit, [*self.inputs, *self.products])
        self.sums = {gate: form for gate, form in sums.items() if form.weights}
        self.fixed = {gate: form for gate, form in sums.items() if not form.weights}
        self.users: dict[int, set[int]] = {gate: {OUTPUT} for gate in circuit.results.tolist()}
        for gate in (*self.products, *self.sums):
            for leaf in self._leaves(gate):
                self.users.setdefault(leaf, set()).add(gate)
        self._missing = {g: len(self._leaves(g)) for g in (*self.products, *self.sums)}
        self._next = len(circuit)

    def _leaves(self, gate: int) -> set[int]:
        if gate in self.sides:
            return set(self.sides[gate]) - self.fixed.keys()
        return set(self.sums[gate].weights) if gate in self.sums else set()

    def ready(self, window: int) -> list[int]:
        """Those of the first products left whose factors are known."""
        return [gate for gate in self.products[:window] if not self._missing[gate]]

    def learn(self, gates: Iterable[int]) -> list[int]:
        """Take inputs or products as known; gives the sums that are known by that, leaves first."""
        waiting, found = list(gates), list[int]()
        known = set(waiting)
        self.products = [gate for gate in self.products if gate not in known]
        while waiting:
            gate = waiting.pop()
            for leaf in self._leaves(gate):
                self.users[leaf].discard(gate)
            for user in self.users.get(gate, set()) - {OUTPUT}:
                self._missing[user] -= 1
                if not self._missing[user] and user in self.sums:
                    found.append(user)
                    waiting.append(user)
        return found

    def join(self, leaves: Sequence[int], gate: int) -> tuple[int, Affine]:
        """A new gate, known, in the place of leaves of a sum that nothing else needs; its form."""
        whole = self.sums[gate]
        part = Affine({leaf: whole.weights[leaf] for leaf in leaves})
        rest = {leaf: weight for leaf, weight in whole.weights.items() if leaf not in part.weights}
        new, self._next = self._next, self._next + 1
        self.sums[gate] = Affine({new: 1, **rest}, whole.bias)
        self.users[new] = {gate}
        for leaf in leaves:
            self.users[leaf] = set()
        return new, part


def _sums(circuit: Circuit, wires: Sequence[int]) -> dict[int, Affine]:
    """Sums that come out, or that a product or several gates use; constants that come out."""
    computed = circuit.moving & circuit.needed & (circuit.operations >= Operation.ADD)
    apart = circuit.products.copy()
    uses = np.zeros(len(circuit), dtype=np.int64)
    for operands in (circuit.left, circuit.right):
        np.add.at(uses, operands[computed], 1)
        apart[operands[computed & circuit.products]] = True
    apart |= uses > 1
    apart[circuit.results] = True
    forms, found = Affines(circuit, wires), dict[int, Affine]()
    for gate in np.flatnonzero(apart & computed & ~circuit.products).tolist():
        found[gate] = forms[gate]
        if found[gate].weights:
            forms.known[gate] = Affine({gate: 1})
    for gate in circuit.results[~circuit.moving[circuit.results]].tolist():
        found[gate] = forms[gate]
    return found
