"""Copies of products, so that several products of the next layer can each convolve their own.

A layer convolves a wire once, for it lies in one channel. A product that is formed k times lies in
k; each copy convolves a wire of its own in turn, so that copies multiply from level to level.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from bestiary.circuits import Circuit, Operation
from bestiary.compile.constants import Scalar
from bestiary.compile.from_circuit.affine import Affine, Affines
from bestiary.compile.from_circuit.terms import fresh_before, wires_before


def with_copies(circuit: Circuit, levels: Iterable[int], most: int) -> Circuit | None:
    """The circuit with as many copies of products as the products of some levels convolve.

    Levels whose products have no factor that is a multiple of a wire, plus a number, are left as
    they are. None where a level gets more than ``most`` products.
    """
    copying = _Copying(circuit)
    for level in sorted(levels, reverse=True):
        if not copying.level(level):
            continue
        if copying.largest() > most:
            return None
    return copying.done()


@dataclass
class _Formed:
    """One time that a product is formed. gate: in the new circuit. sides: its factors there."""

    gate: int
    sides: list[int]


class _Copying:
    """Levels from the last one on: what each convolves is copied in the level before it."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        self.operations = circuit.operations.tolist()
        self.left, self.right = circuit.left.tolist(), circuit.right.tolist()
        self.constants = list(circuit.constants)
        self.formed: dict[int, list[_Formed]] = {
            gate: [_Formed(gate, [self.left[gate], self.right[gate]])]
            for gate in np.flatnonzero(circuit.products).tolist()
        }

    def largest(self) -> int:
        """The most products of a level."""
        counts: dict[int, int] = {}
        for gate, times in self.formed.items():
            level = int(self.circuit.levels[gate])
            counts[level] = counts.get(level, 0) + len(times)
        return max(counts.values(), default=0)

    def level(self, level: int) -> bool:
        """Give each product of a level a wire of its own; whether that can be done."""
        circuit = self.circuit
        forms = Affines(circuit, wires_before(circuit, level))
        fresh = fresh_before(circuit, level)
        gates = np.flatnonzero(circuit.products & (circuit.levels == level)).tolist()
        sides = {
            gate: [
                (side, forms[g]) for side, g in enumerate((circuit.left[gate], circuit.right[gate]))
            ]
            for gate in gates
        }
        if any(all(form.single is None for _, form in own) for own in sides.values()):
            return False
        claims: dict[int, int] = {}
        for gate in gates:
            for formed in self.formed[gate]:
                self._claim(formed, sides[gate], fresh, claims, level)
        return True

    def _claim(
        self,
        formed: _Formed,
        sides: list[tuple[int, Affine]],
        fresh: set[int],
        claims: dict[int, int],
        level: int,
    ) -> None:
        """Let a product convolve the wire that fewest others do, or a copy of it."""
        options = [(side, form) for side, form in sides if form.single is not None]
        if any(form.single not in fresh for _, form in options):
            return
        side, form = min(options, key=lambda option: claims.get(option[1].single or 0, 0))
        wire = form.single
        assert wire is not None
        number = claims[wire] = claims.get(wire, 0) + 1
        if number == 1 or level == 1:
            # There is one channel an input; a layer that copies them comes first.
            return
        times = self.formed[wire]
        if number > len(times):
            times.append(_Formed(self._gate(Operation.MULTIPLY, -1, -1), list(times[0].sides)))
        formed.sides[side] = self._like(form, times[number - 1].gate)

    def _like(self, form: Affine, copy: int) -> int:
        """A multiple of a wire plus a number, of its copy."""
        (weight,) = form.weights.values()
        gate = copy
        if weight != 1:
            gate = self._gate(Operation.MULTIPLY, self._constant(weight), gate)
        if form.bias != 0:
            gate = self._gate(Operation.ADD, gate, self._constant(form.bias))
        return gate

    def _constant(self, number: Scalar) -> int:
        self.constants.append(number)
        return self._gate(Operation.CONSTANT, len(self.constants) - 1, -1)

    def _gate(self, operation: Operation, left: int, right: int) -> int:
        self.operations.append(int(operation))
        self.left.append(left)
        self.right.append(right)
        return len(self.operations) - 1

    def done(self) -> Circuit:
        """The circuit, its gates after their operands again."""
        for times in self.formed.values():
            for formed in times:
                self.left[formed.gate], self.right[formed.gate] = formed.sides
        order = self._order()
        place = np.full(len(self.operations), -1, dtype=np.int64)
        place[order] = np.arange(len(order))
        operations = np.array(self.operations, dtype=np.int8)[order]
        left, right = np.array(self.left)[order], np.array(self.right)[order]
        computed = operations >= Operation.ADD
        left[computed], right[computed] = place[left[computed]], place[right[computed]]
        return replace(
            self.circuit,
            operations=operations,
            left=left,
            right=right,
            constants=tuple(self.constants),
            results=place[self.circuit.results],
            names={int(place[g]): name for g, name in self.circuit.names.items() if place[g] >= 0},
        )

    def _order(self) -> list[int]:
        """Gates that are needed, and all inputs, each after its operands."""
        done = [kind == Operation.INPUT for kind in self.operations]
        order = [gate for gate, given in enumerate(done) if given]
        waiting: list[int] = self.circuit.results.tolist()
        while waiting:
            gate = waiting[-1]
            if done[gate]:
                waiting.pop()
                continue
            operands = (
                [self.left[gate], self.right[gate]]
                if self.operations[gate] >= Operation.ADD
                else []
            )
            missing = [operand for operand in operands if not done[operand]]
            if missing:
                waiting += missing
                continue
            done[gate] = True
            order.append(gate)
            waiting.pop()
        return order
