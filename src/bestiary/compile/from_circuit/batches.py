"""Fewer channels for more layers: products in batches, sums added up as their terms come.

Two layers a batch, as in ``by_levels``: gather the factors, multiply. What has to be there in
between is kept in the fewer channels of two ways: a term by itself, until every sum that needs it
has been formed, or the sums that need it, as far as they have come. A sum of n products takes one
channel beside those of a batch.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from bestiary.circuits import Circuit
from bestiary.compile.constants import Scalar
from bestiary.compile.expression import Value
from bestiary.compile.from_circuit.affine import Affine, Affines
from bestiary.compile.from_circuit.cells import product_cell, sum_cell
from bestiary.compile.from_circuit.ports import Ports
from bestiary.compile.program import Program
from bestiary.errors import UserError


class TooFewChannels(UserError):
    """A circuit does not fit into so many channels. channels: how many they are."""

    def __init__(self, sentence: str, channels: int) -> None:
        super().__init__(sentence)
        self.channels = channels


def batches(circuit: Circuit, channels: int, rows: int = 1) -> Program:
    """A circuit in at most so many channels, as cells with their layers.

    ``TooFewChannels`` where that is too few for the inputs, the outputs, or what has to be kept.
    """
    least = max(circuit.width_in, len(set(circuit.results.tolist())))
    if channels < least:
        raise TooFewChannels(
            f"{channels} channels were asked for; {circuit.name} has {circuit.width_in} inputs and "
            f"{len(circuit.results)} outputs, and needs at least {least}",
            channels,
        )
    return _Batches(circuit, channels, rows).program()


class _Batches:
    """Which terms (inputs and products) and which sums are on wires, batch by batch.

    sums: the factors of products, and the outputs, as forms over terms. begun: those that are added
    up as their terms come, with the terms that are in. waiting: for each sum the products that
    still need it, -1 standing for the output.
    """

    def __init__(self, circuit: Circuit, channels: int, rows: int) -> None:
        self.circuit, self.channels = circuit, channels
        self.ports = Ports(circuit, rows)
        self.products = np.flatnonzero(circuit.products & circuit.needed).tolist()
        self.sides = {
            gate: (int(circuit.left[gate]), int(circuit.right[gate])) for gate in self.products
        }
        forms = Affines(circuit, [*self.ports.wires, *self.products])
        self.waiting: dict[int, set[int]] = {}
        for gate, factors in self.sides.items():
            for factor in factors:
                self.waiting.setdefault(factor, set()).add(gate)
        for gate in circuit.results.tolist():
            self.waiting.setdefault(gate, set()).add(-1)
        self.sums: dict[int, Affine] = {gate: forms[gate] for gate in self.waiting}
        self.needing: dict[int, set[int]] = {}
        for gate, form in self.sums.items():
            for term in form.weights:
                self.needing.setdefault(term, set()).add(gate)
        self.terms: dict[int, Value] = {
            gate: wire for gate, wire in self.ports.wires.items() if gate in self.needing
        }
        self.known = set(self.ports.wires)
        self.begun: dict[int, Value] = {}
        self.inside: dict[int, set[int]] = {}
        self.layer = 0

    def program(self) -> Program:
        """All batches, then the outputs."""
        left = list(self.products)
        while left:
            self._begin_sums()
            batch = self._next(left)
            self._run(batch)
            chosen = set(batch)
            left = [gate for gate in left if gate not in chosen]
        self.layer += 1
        results = self.circuit.results.tolist()
        made = {gate: self._summed(gate, self._rest(gate)) for gate in dict.fromkeys(results)}
        return self.ports.program([made[gate] for gate in results])

    # What to keep

    def _begin_sums(self) -> None:
        """Begin sums as long as each frees more than the one channel it takes."""
        while True:
            free: dict[int, int] = {}
            for term in self.terms:
                apart = [gate for gate in self.needing[term] if gate not in self.inside]
                if len(apart) == 1:
                    free[apart[0]] = free.get(apart[0], 0) + 1
            gate = max(free, key=lambda gate: free[gate], default=None)
            if gate is None or free[gate] < 2:
                return
            self.inside[gate] = set()

    def _kept(self, batch: Collection[int]) -> tuple[list[int], list[int]]:
        """Terms and begun sums that are needed once the factors of a batch are gathered."""
        done = self._done(batch)
        terms = [
            term
            for term in self.terms
            if any(g not in done and g not in self.inside for g in self.needing[term])
        ]
        sums = [gate for gate in self.inside if gate not in done and self._has_terms(gate)]
        return terms, sums

    def _has_terms(self, gate: int) -> bool:
        return gate in self.begun or any(t in self.terms for t in self.sums[gate].weights)

    def _done(self, batch: Collection[int]) -> set[int]:
        """Sums that nothing but the batch still needs."""
        chosen = set(batch)
        factors = {factor for gate in chosen for factor in self.sides[gate]}
        return {gate for gate in factors if self.waiting[gate] <= chosen}

    # Which products

    def _next(self, left: Sequence[int]) -> list[int]:
        """As many of the products that can be formed as fit, in their order."""
        ready = [gate for gate in left if all(self._complete(f) for f in self.sides[gate])]
        low, high = 0, len(ready)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._fits(ready[:middle]) else (low, middle - 1)
        if low:
            return ready[:low]
        for gate in ready:
            if self._fits([gate]):
                return [gate]
        need = min(self._needed([gate]) for gate in ready)
        raise TooFewChannels(
            f"{self.channels} channels are too few for {self.circuit.name}: {need} are needed "
            f"when {len(left)} products are left",
            self.channels,
        )

    def _complete(self, gate: int) -> bool:
        return all(term in self.known for term in self.sums[gate].weights)

    def _fits(self, batch: Sequence[int]) -> bool:
        return self._needed(batch) <= self.channels

    def _needed(self, batch: Sequence[int]) -> int:
        """Channels once the factors of a batch are gathered, and once they are multiplied."""
        terms, sums = self._kept(batch)
        kept = len(terms) + len(sums)
        over = {self.sides[gate][0] for gate in batch}
        return kept + len(batch) + max(0, len(over - {self.sides[gate][1] for gate in batch}))

    # Layers

    def _run(self, batch: Sequence[int]) -> None:
        """Gather, multiply."""
        terms, sums = self._kept(batch)
        self.layer += 1
        factors = dict.fromkeys(f for gate in batch for f in self.sides[gate])
        gathered = {gate: self._summed(gate, self._rest(gate)) for gate in factors}
        carried = {term: self.terms[term] for term in terms}
        begun = {gate: self._added_up(gate) for gate in sums}
        self.layer += 1
        made = {gate: self._product(gate, gathered) for gate in batch}
        for gate in batch:
            for factor in set(self.sides[gate]):
                self.waiting[factor].discard(gate)
        for gate in [gate for gate, users in self.waiting.items() if not users]:
            self._forget(gate)
        self.begun = {gate: wire for gate, wire in begun.items() if gate in self.waiting}
        self.known |= set(made)
        self.terms = {
            term: wire for term, wire in (carried | made).items() if self.needing.get(term)
        }

    def _forget(self, gate: int) -> None:
        """A sum that nothing needs any more."""
        del self.waiting[gate]
        self.inside.pop(gate, None)
        for term in self.sums[gate].weights:
            self.needing[term].discard(gate)

    def _rest(self, gate: int) -> tuple[list[Value], list[Scalar]]:
        """What a sum is made from: how far it has come, and its terms that are not in."""
        form, inside = self.sums[gate], self.inside.get(gate, set())
        begun = self.begun.get(gate)
        wires: list[Value] = [] if begun is None else [begun]
        weights: list[Scalar] = [1] * len(wires)
        for term, weight in form.weights.items():
            if term not in inside:
                wires.append(self.terms[term])
                weights.append(weight)
        return wires, weights

    def _summed(self, gate: int, parts: tuple[list[Value], list[Scalar]]) -> Value:
        return sum_cell(self.ports.name(gate), self.layer, *parts, bias=self.sums[gate].bias)

    def _added_up(self, gate: int) -> Value:
        """A begun sum with the terms that have come since; its bias is added at the end."""
        form, inside = self.sums[gate].weights, self.inside[gate]
        new = [term for term in form if term in self.terms and term not in inside]
        begun = self.begun.get(gate)
        if not new:
            assert begun is not None
            return begun
        wires = [] if begun is None else [begun]
        weights: list[Scalar] = [1] * len(wires)
        wires += [self.terms[term] for term in new]
        weights += [form[term] for term in new]
        inside.update(new)
        return sum_cell(f"part of {self.ports.name(gate)}", self.layer, wires, weights, bias=0)

    def _product(self, gate: int, factors: Mapping[int, Value]) -> Value:
        over, on = self.sides[gate]
        name = self.ports.name(gate)
        return product_cell(name, self.layer, [factors[over]], [1], 0, factors[on])
