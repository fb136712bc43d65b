"""Make a circuit gate by gate; equal gates are one, and what changes nothing is left out."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from bestiary.circuits.circuit import Circuit
from bestiary.circuits.gates import Operation, Port
from bestiary.circuits.number import Number, as_number, shown
from bestiary.circuits.scans import tree
from bestiary.errors import UserError

MOST_BITS = 1 << 20
"""Of an exact constant, which powers of constants would soon fill the memory with."""


class Builder:
    """Gates so far. Methods take and give numbers of gates."""

    def __init__(self) -> None:
        self.operations: list[int] = []
        self.left: list[int] = []
        self.right: list[int] = []
        self.constants: list[Number] = []
        self.inputs: list[Port] = []
        self.names: dict[int, str] = {}
        self._known: dict[tuple[object, ...], int] = {}
        self._values: dict[int, Number] = {}
        # Gates that give no ints or fractions whatever the inputs: a float or more goes into them.
        self._inexact: set[int] = set()
        self._input_names: set[str] = set()
        self._given = 0

    def input(self, name: str, shape: Sequence[int] = ()) -> list[int]:
        """Gates of a new input, one a scalar, in row-major order."""
        port = Port(name, tuple(shape))
        if name in self._input_names:
            raise UserError(f"two inputs are called {name}; give each a name of its own")
        self._input_names.add(name)
        self.inputs.append(port)
        gates = []
        for _ in range(port.size):
            gates.append(self._gate(Operation.INPUT, self._given, -1))
            self._given += 1
        return gates

    def inputs_like(self, circuit: Circuit) -> list[int]:
        """Gates of all inputs of a circuit, in the order of its scalars."""
        return [gate for port in circuit.inputs for gate in self.input(port.name, port.shape)]

    def constant(self, value: object) -> int:
        """The gate of a constant."""
        number = as_number(value)
        key = (Operation.CONSTANT, type(number), number)
        gate = self._known.get(key)
        if gate is None:
            if isinstance(number, int | Fraction):
                _check_length(number)
            self.constants.append(number)
            gate = self._gate(Operation.CONSTANT, len(self.constants) - 1, -1)
            self._known[key] = gate
            self._values[gate] = number
            if isinstance(number, float | complex):
                self._inexact.add(gate)
        return gate

    def call(self, gate: int, name: str) -> None:
        """Give a gate that computes something a name, unless it has one."""
        if self.operations[gate] >= Operation.ADD:
            self.names.setdefault(gate, name)

    def value(self, gate: int) -> Number | None:
        """The number that a gate gives whatever the inputs, or None."""
        return self._values.get(gate)

    def add(self, a: int, b: int) -> int:
        """a + b."""
        x, y = self.value(a), self.value(b)
        if x is not None and y is not None:
            return self._folded(operator.add, x, y)
        if self._changes_nothing(x, 0, b):
            return b
        if self._changes_nothing(y, 0, a):
            return a
        return self._combined(Operation.ADD, min(a, b), max(a, b))

    def subtract(self, a: int, b: int) -> int:
        """a - b."""
        x, y = self.value(a), self.value(b)
        if x is not None and y is not None:
            return self._folded(operator.sub, x, y)
        if self._changes_nothing(y, 0, a):
            return a
        return self._combined(Operation.SUBTRACT, a, b)

    def multiply(self, a: int, b: int) -> int:
        """a · b."""
        x, y = self.value(a), self.value(b)
        if x is not None and y is not None:
            return self._folded(operator.mul, x, y)
        for number, other in ((x, b), (y, a)):
            if number == 0:
                return self.constant(number)
            if self._changes_nothing(number, 1, other):
                return other
        return self._combined(Operation.MULTIPLY, min(a, b), max(a, b))

    def combine(self, operation: int, a: int, b: int) -> int:
        """a + b, a - b or a · b, by an ``Operation``."""
        if operation == Operation.ADD:
            return self.add(a, b)
        if operation == Operation.SUBTRACT:
            return self.subtract(a, b)
        return self.multiply(a, b)

    def total(self, gates: Sequence[int]) -> int:
        """The sum, as a balanced tree."""
        return tree(self.add, list(gates) or [self.constant(0)])

    def product(self, gates: Sequence[int]) -> int:
        """The product, as a balanced tree."""
        return tree(self.multiply, list(gates) or [self.constant(1)])

    def power(self, gate: int, exponent: int) -> int:
        """gate ** exponent by squaring, of the least depth."""
        squares, factors = gate, []
        while exponent:
            if exponent & 1:
                factors.append(squares)
            exponent >>= 1
            if exponent:
                squares = self.multiply(squares, squares)
        # Shallow factors first, so that the deepest square is multiplied once.
        done = factors[0] if factors else self.constant(1)
        for factor in factors[1:]:
            done = self.multiply(done, factor)
        return done

    def finished(
        self,
        outputs: Mapping[str, tuple[Sequence[int], Sequence[int]]],
        name: str = "circuit",
    ) -> Circuit:
        """The circuit of the gates that the outputs need, and all inputs.

        outputs: for each name its shape and its gates, in row-major order.
        """
        results = [gate for _, gates in outputs.values() for gate in gates]
        kept = self._needed(results)
        new = np.cumsum(kept) - 1
        old = np.flatnonzero(kept)
        operations = np.array(self.operations, dtype=np.int8)[old]
        left = np.array(self.left, dtype=np.int64)[old]
        right = np.array(self.right, dtype=np.int64)[old]
        computed = operations >= Operation.ADD
        left[computed] = new[left[computed]]
        right[computed] = new[right[computed]]
        constant = operations == Operation.CONSTANT
        constants = tuple(self.constants[place] for place in left[constant].tolist())
        left[constant] = np.arange(len(constants))
        return Circuit(
            operations=operations,
            left=left,
            right=right,
            constants=constants,
            inputs=tuple(self.inputs),
            outputs=tuple(Port(key, tuple(shape)) for key, (shape, _) in outputs.items()),
            results=new[np.array(results, dtype=np.int64)],
            name=name,
            names={int(new[gate]): text for gate, text in self.names.items() if kept[gate]},
        )

    def finished_like(self, circuit: Circuit, new: Callable[[int], int]) -> Circuit:
        """The circuit with the outputs and the name of another one, whose gates ``new`` takes."""
        results = iter(circuit.results.tolist())
        outputs = {
            port.name: (port.shape, [new(next(results)) for _ in range(port.size)])
            for port in circuit.outputs
        }
        return self.finished(outputs, circuit.name)

    def _gate(self, operation: Operation, left: int, right: int) -> int:
        self.operations.append(int(operation))
        self.left.append(left)
        self.right.append(right)
        return len(self.operations) - 1

    def _combined(self, operation: Operation, a: int, b: int) -> int:
        key = (operation, a, b)
        gate = self._known.get(key)
        if gate is None:
            gate = self._known[key] = self._gate(operation, a, b)
            if a in self._inexact or b in self._inexact:
                self._inexact.add(gate)
        return gate

    def _folded(self, combine: Callable[[Any, Any], Number], x: Number, y: Number) -> int:
        try:
            number = combine(x, y)
        except OverflowError:
            raise UserError(
                f"the constants {shown(x)} and {shown(y)} are combined, and one is too large for "
                "a floating-point number; give the other as a whole number or a fraction"
            ) from None
        return self.constant(number)

    def _changes_nothing(self, number: Number | None, neutral: int, other: int) -> bool:
        """Whether a constant is the neutral number, and does not make floats of exact numbers."""
        if isinstance(number, int | Fraction):
            return number == neutral
        return isinstance(number, float) and number == neutral and other in self._inexact

    def _needed(self, results: Sequence[int]) -> np.ndarray:
        kept = np.array(self.operations, dtype=np.int8) == Operation.INPUT
        waiting = list(results)
        while waiting:
            gate = waiting.pop()
            if kept[gate] and self.operations[gate] != Operation.INPUT:
                continue
            kept[gate] = True
            if self.operations[gate] >= Operation.ADD:
                waiting += [self.left[gate], self.right[gate]]
        return kept


def _check_length(number: int | Fraction) -> None:
    bits = max(number.numerator.bit_length(), number.denominator.bit_length())
    if bits > MOST_BITS:
        raise UserError(f"a constant has {bits:,} bits; up to {MOST_BITS:,} are taken")
