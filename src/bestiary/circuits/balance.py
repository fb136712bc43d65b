"""Re-associate long chains, so that fewer products follow each other.

A region is a tree of gates that are used once each; its leaves are gates used more often, inputs
and constants. On the way from the region's root down its heaviest branch, every gate is
v = m · w + c of the next, where m and c come from the lighter branch. Two such steps are one,
(m, c) ∘ (m', c') = (m m', m c' + c), so a way of any length is a tree of compositions, of
logarithmic depth (Brent, "The parallel evaluation of general arithmetic expressions", 1974).
Products in a row and Horner's rule are special cases. Sums cost nothing here: a layer takes sums of
any length. A way stays as it is where composing does not make it shallower.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bestiary.circuits.building import Builder
from bestiary.circuits.circuit import Circuit
from bestiary.circuits.gates import Operation
from bestiary.circuits.level_count import Levels

HIGHEST = 500
"""Levels above count as this one, for 2 to their power is a float."""
DEEPEST = 100
_Step = tuple[int | None, int | None]
"""m and c of m · w + c as gates of the new circuit; None is 1 and 0."""


def balanced(circuit: Circuit) -> Circuit:
    """A circuit of the same polynomials, of the same or smaller multiplicative depth.

    It has at most three times as many products on every way that is re-associated. Whole numbers
    and fractions give the same results; floating-point numbers are rounded in another order.
    """
    done = _Balancer(circuit).done()
    return done if done.multiplicative_depth < circuit.multiplicative_depth else circuit


class _Balancer:
    """Regions from the inputs on, each way of a region rebuilt once its lighter branches are."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        self.operations = circuit.operations.tolist()
        self.left, self.right = circuit.left.tolist(), circuit.right.tolist()
        self.builder = Builder()
        self.new: dict[int, int] = {}
        self.level = Levels(self.builder)
        self.inner = self._used_once_within()
        self.sizes = self._sizes()

    def done(self) -> Circuit:
        """The circuit rebuilt."""
        given = self.builder.inputs_like(self.circuit)
        for gate, operation in enumerate(self.operations):
            if operation == Operation.INPUT:
                self.new[gate] = given[self.left[gate]]
            elif operation == Operation.CONSTANT:
                number = self.circuit.constants[self.left[gate]]
                self.new[gate] = self.builder.constant(number)
            elif not self.inner[gate]:
                self._rebuild(gate)
        return self.builder.finished_like(self.circuit, self.new.__getitem__)

    # Regions

    def _used_once_within(self) -> list[bool]:
        """Whether a gate computes something for one other gate and nothing else."""
        uses = np.zeros(len(self.circuit), dtype=np.int64)
        computed = self.circuit.operations >= Operation.ADD
        np.add.at(uses, self.circuit.left[computed], 1)
        np.add.at(uses, self.circuit.right[computed], 1)
        np.add.at(uses, self.circuit.results, 2)
        inner: list[bool] = ((uses == 1) & computed).tolist()
        return inner

    def _sizes(self) -> list[int]:
        """How many products a gate's part of its region has."""
        products = self.circuit.products.tolist()
        sizes = [0] * len(self.circuit)
        for gate, operation in enumerate(self.operations):
            if operation >= Operation.ADD:
                below = {self.left[gate], self.right[gate]}
                sizes[gate] = products[gate] + sum(sizes[g] for g in below if self.inner[g])
        return sizes

    def _rebuild(self, root: int) -> None:
        """All ways of a region, those that others need first."""
        ways, waiting = [], [root]
        while waiting:
            way = self._way(waiting.pop())
            ways.append(way)
            waiting += [side for _, side in way if side is not None and self.inner[side]]
        for way in reversed(ways):
            self._follow(way)

    def _way(self, top: int) -> list[tuple[int, int | None]]:
        """The gates from ``top`` down the heaviest branch, each with its operand at the side.

        The last one is a leaf of the region, or a gate whose operands both are.
        """
        way: list[tuple[int, int | None]] = []
        gate = top
        while gate == top or self.inner[gate]:
            a, b = self.left[gate], self.right[gate]
            if (self._weight(b), b) > (self._weight(a), a):
                a, b = b, a
            way.append((gate, b))
            gate = a
        way.append((gate, None))
        return way

    def _weight(self, gate: int) -> int:
        """Branches are followed where most products are, then where the level is highest."""
        return self.sizes[gate] + 1 if self.inner[gate] else 0

    # Building

    def _follow(self, way: Sequence[tuple[int, int | None]]) -> None:
        """The value of the first gate of a way, from those of its leaf and of its sides."""
        end = self.new[way[-1][0]]
        steps = [self._step(gate, side) for gate, side in way[:-1] if side is not None]
        plain = end
        for step in reversed(steps):
            plain = self._applied(step, plain)
        together = self._value(steps, end)
        # What is not chosen stays behind unused, and is left out at the end.
        shallower = self.level(together) < self.level(plain)
        self.new[way[0][0]] = together if shallower else plain

    def _step(self, gate: int, side: int) -> _Step:
        other, operation = self.new[side], self.operations[gate]
        if operation == Operation.MULTIPLY:
            return other, None
        if operation == Operation.ADD:
            return None, other
        minus = self.builder.constant(-1)
        if side == self.right[gate]:
            return None, self.builder.multiply(minus, other)
        return minus, other

    def _applied(self, step: _Step, value: int) -> int:
        factor, term = step
        if factor is not None:
            value = self.builder.multiply(factor, value)
        return value if term is None else self.builder.add(value, term)

    def _value(self, steps: Sequence[_Step], end: int, deep: int = 0) -> int:
        """All steps applied to the end, split where both sides weigh the same."""
        if not steps:
            return end
        weights = [*(self._weighed(*step) for step in steps), self._weighed(end)]
        at = _middle(weights, deep)
        return self._applied(
            self._composed(steps[:at], deep + 1), self._value(steps[at:], end, deep + 1)
        )

    def _composed(self, steps: Sequence[_Step], deep: int) -> _Step:
        """The steps as one, the first one outermost."""
        if len(steps) == 1:
            return steps[0]
        at = _middle([self._weighed(*step) for step in steps], deep)
        m, c = self._composed(steps[:at], deep + 1)
        n, e = self._composed(steps[at:], deep + 1)
        factor = n if m is None else m if n is None else self.builder.multiply(m, n)
        if e is None:
            return factor, c
        term = e if m is None else self.builder.multiply(m, e)
        return factor, term if c is None else self.builder.add(term, c)

    def _weighed(self, *gates: int | None) -> float:
        """As many products as a balanced tree of the highest level has."""
        highest = max(self.level(gate) for gate in gates if gate is not None)
        return 2.0 ** min(highest, HIGHEST)


def _middle(weights: Sequence[float], deep: int) -> int:
    """The first places that weigh about half; some at each side.

    Very deep within uneven ways, half of the places instead.
    """
    at = len(weights) // 2
    if deep < DEEPEST:
        before = np.cumsum(weights)
        at = int(np.searchsorted(before, before[-1] / 2)) + 1
    return min(max(at, 1), len(weights) - 1)
