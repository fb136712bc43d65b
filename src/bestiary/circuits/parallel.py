"""Any circuit of degree d in O(log d) products one after the other, whatever its depth was.

On the way down from a gate v, a sum goes on to both operands and a product to the one of the higher
degree, its heavy one. A gate w of more than half of v's degree lies on such ways alone, so v is
linear in it: v = ∂v/∂w · w + …, where ∂v/∂w sums over all ways from v to w the products of what
lies beside them. Cut every way where the degree first falls to m or below, at a product
t = heavy · light or on the way from a sum s to its operand c::

    v      = Σ_t heavy · light · ∂v/∂t          + Σ_s ± c · ∂v/∂s
    ∂v/∂w  = Σ_t ∂heavy/∂w · light · ∂v/∂t      + Σ_s ± ∂c/∂w · ∂v/∂s

With m half of the degree, or half way from w to v, all on the right but one light factor has half
of the degree or of the difference, so that three levels halve either (Valiant, Skyum, Berkowitz and
Rackoff, "Fast parallel computation of polynomials using few processors", 1983; there of homogeneous
circuits, where no sum falls past m). Unlike ``balanced`` this re-arranges what is used many times
too, such as all states of a recurrence; it takes more products for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from math import log2
from typing import NamedTuple

from bestiary.circuits.building import Builder
from bestiary.circuits.circuit import Circuit
from bestiary.circuits.gates import Operation
from bestiary.circuits.level_count import Levels

LARGEST = 20_000
"""Gates of circuits that are re-arranged; the sets of gates on ways take their square in bits."""
MOST_GATES = 100_000
SHALLOW = 1.5
"""Times log2 of its degree: gates of fewer levels stay as they are."""


class _Cut(NamedTuple):
    """Where ways from a gate fall to a degree. gate: t or s. operand: the heavy one, or c.

    light: the other factor, None at a sum. sign: of c in s.
    """

    gate: int
    operand: int
    light: int | None
    sign: int


def parallelised(circuit: Circuit, most: int = MOST_GATES) -> Circuit:
    """A circuit of the same polynomials, of multiplicative depth O(log degree).

    The circuit itself where that is no shallower, or takes more than ``most`` gates, and where it
    has more than 20,000. Whole numbers and fractions give the same results; floating-point numbers
    are rounded in another order.
    """
    if circuit.multiplicative_depth <= log2(max(2, circuit.degree)) or len(circuit) > LARGEST:
        return circuit
    try:
        done = _Parallel(circuit, most).done()
    except _TooLarge:
        return circuit
    return done if done.multiplicative_depth < circuit.multiplicative_depth else circuit


class _TooLarge(Exception):
    """More gates than are allowed."""


class _Parallel:
    """Values and derivatives as gates of a new circuit, each made once."""

    def __init__(self, circuit: Circuit, most: int) -> None:
        self.circuit, self.most = circuit, most
        self.operations = circuit.operations.tolist()
        self.left, self.right = circuit.left.tolist(), circuit.right.tolist()
        self.levels = circuit.levels.tolist()
        self.degree: list[int] = circuit.degrees.tolist()
        self.builder = Builder()
        self.level = Levels(self.builder)
        self.plain: dict[int, int] = {}
        self.values: dict[int, int] = {}
        self.derivatives: dict[tuple[int, int], int] = {}
        self.cuts: dict[tuple[int, int], list[_Cut]] = {}
        self.below = self._below()

    def done(self) -> Circuit:
        """The circuit rebuilt."""
        self.builder.inputs_like(self.circuit)
        return self.builder.finished_like(self.circuit, self.value)

    def _heavy(self, gate: int) -> tuple[int, int]:
        """The operand of a product with the higher degree, and the other."""
        a, b = self.left[gate], self.right[gate]
        return (a, b) if self.degree[a] >= self.degree[b] else (b, a)

    def _on(self, gate: int) -> tuple[int, ...]:
        """Where ways from a gate go on."""
        operation = self.operations[gate]
        if operation < Operation.ADD:
            return ()
        if operation == Operation.MULTIPLY:
            return self._heavy(gate)[:1]
        return self.left[gate], self.right[gate]

    def _below(self) -> list[int]:
        """All gates on ways from each gate, as the bits of a number."""
        below: list[int] = []
        for gate in range(len(self.operations)):
            found = 1 << gate
            for operand in self._on(gate):
                found |= below[operand]
            below.append(found)
        return below

    # Values

    def value(self, gate: int) -> int:
        """The new gate of a gate's value."""
        found = self.values.get(gate)
        if found is None:
            degree = self.degree[gate]
            if degree < 2 or self.levels[gate] <= SHALLOW * log2(degree):
                found = self._as_it_is(gate)
            else:
                found = self._sum(self._value_terms(gate, (degree + 1) // 2))
            self.values[gate] = found
        return found

    def _value_terms(self, gate: int, m: int) -> Iterator[tuple[int, list[int]]]:
        for cut in self._cut(gate, m):
            factors = [self.derivative(cut.gate, gate), self.value(cut.operand)]
            if cut.light is not None:
                factors.append(self.value(cut.light))
            yield cut.sign, factors

    def _as_it_is(self, root: int) -> int:
        """A gate and all below it, copied."""
        waiting = [root]
        while waiting:
            gate = waiting[-1]
            if gate in self.plain:
                waiting.pop()
                continue
            operation = self.operations[gate]
            if operation < Operation.ADD:
                self.plain[gate] = self._leaf(gate)
                continue
            a, b = self.left[gate], self.right[gate]
            missing = [operand for operand in (a, b) if operand not in self.plain]
            if missing:
                waiting += missing
                continue
            self.plain[gate] = self.builder.combine(operation, self.plain[a], self.plain[b])
        return self.plain[root]

    def _leaf(self, gate: int) -> int:
        if self.operations[gate] == Operation.INPUT:
            # Inputs are the first gates of the new circuit, in their order.
            return self.left[gate]
        return self.builder.constant(self.circuit.constants[self.left[gate]])

    # Derivatives

    def derivative(self, of: int, gate: int) -> int:
        """The new gate of ∂gate/∂of, for ``of`` of more than half of the gate's degree."""
        if of == gate:
            return self.builder.constant(1)
        found = self.derivatives.get((of, gate))
        if found is None:
            difference = self.degree[gate] - self.degree[of]
            if difference:
                terms = self._derivative_terms(of, gate, self.degree[of] + difference // 2)
                found = self._sum(terms)
            else:
                found = self._number(of, gate)
            self.derivatives[of, gate] = found
        return found

    def _derivative_terms(self, of: int, gate: int, m: int) -> Iterator[tuple[int, list[int]]]:
        for cut in self._cut(gate, m):
            if not self.below[cut.operand] >> of & 1:
                continue
            factors = [self.derivative(cut.gate, gate), self.derivative(of, cut.operand)]
            if cut.light is not None:
                factors.append(self.value(cut.light))
            yield cut.sign, factors

    def _number(self, of: int, gate: int) -> int:
        """∂gate/∂of where both have one degree, so that what lies beside the ways is constant."""
        ways = self._ordered(gate, self.degree[of] - 1)
        along = {gate: self.builder.constant(1)}
        for v in ways:
            if v == of or v not in along:
                continue
            if self.operations[v] == Operation.MULTIPLY:
                heavy, light = self._heavy(v)
                self._add(along, heavy, self.builder.multiply(along[v], self._as_it_is(light)))
                continue
            minus = self.operations[v] == Operation.SUBTRACT
            self._add(along, self.left[v], along[v])
            less = self.builder.multiply(self.builder.constant(-1), along[v])
            self._add(along, self.right[v], less if minus else along[v])
        return along[of]

    def _add(self, along: dict[int, int], gate: int, what: int) -> None:
        along[gate] = self.builder.add(along[gate], what) if gate in along else what

    # Ways

    def _ordered(self, gate: int, m: int) -> list[int]:
        """The gates of a degree above m on ways from a gate, each after all that lead to it."""
        seen, waiting = {gate}, [-gate]
        heapify(waiting)
        order = []
        while waiting:
            v = -heappop(waiting)
            order.append(v)
            for operand in self._on(v):
                if self.degree[operand] > m and operand not in seen:
                    seen.add(operand)
                    heappush(waiting, -operand)
        return order

    def _cut(self, gate: int, m: int) -> list[_Cut]:
        """Where ways from a gate fall to a degree of m or less."""
        found = self.cuts.get((gate, m))
        if found is None:
            found = []
            for v in self._ordered(gate, m):
                if self.operations[v] == Operation.MULTIPLY:
                    heavy, light = self._heavy(v)
                    if self.degree[heavy] <= m:
                        found.append(_Cut(v, heavy, light, 1))
                    continue
                minus = -1 if self.operations[v] == Operation.SUBTRACT else 1
                for operand, sign in ((self.left[v], 1), (self.right[v], minus)):
                    if self.degree[operand] <= m:
                        found.append(_Cut(v, operand, None, sign))
            self.cuts[gate, m] = found
        return found

    # Gates

    def _sum(self, terms: Iterator[tuple[int, list[int]]]) -> int:
        """Σ sign · product, shallow factors multiplied first."""
        builder, made = self.builder, []
        for sign, factors in terms:
            product = self._product(factors)
            made.append(product if sign > 0 else builder.multiply(builder.constant(-1), product))
            if len(builder.operations) > self.most:
                raise _TooLarge
        return builder.total(made)

    def _product(self, factors: list[int]) -> int:
        queue = [(self.level(gate), gate) for gate in factors]
        heapify(queue)
        while len(queue) > 1:
            a, b = heappop(queue)[1], heappop(queue)[1]
            product = self.builder.multiply(a, b)
            heappush(queue, (self.level(product), product))
        return queue[0][1]
