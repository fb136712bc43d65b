"""Products of sums, formed term by term: (Σ aᵢ pᵢ) · R as Σ aᵢ (pᵢ · R).

A layer multiplies one wire by any sum. So a product of two sums needs a layer before it that
gathers one of them; its terms do not, and their sum is left to whatever reads them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bestiary.circuits import Builder, Circuit, Operation
from bestiary.compile.constants import Scalar
from bestiary.compile.from_circuit.affine import Affine, Affines


def in_terms(circuit: Circuit, level: int, most: int) -> Circuit | None:
    """The circuit with the products of a level formed term by term, where neither factor is a wire.

    The factor of fewer terms is taken apart. What it has of older levels stays one term, for it can
    be gathered in time; its constant goes with the first. None where that makes more than ``most``
    products, or changes nothing.
    """
    levels, products = circuit.levels, circuit.products
    forms = Affines(circuit, wires_before(circuit, level))
    fresh = fresh_before(circuit, level)
    apart: dict[int, tuple[Affine, int]] = {}
    total = 0
    for gate in np.flatnonzero(products & (levels == level)).tolist():
        a, b = int(circuit.left[gate]), int(circuit.right[gate])
        factor, other = min((a, b), (b, a), key=lambda pair: _count(forms[pair[0]], fresh))
        total += _count(forms[factor], fresh)
        if forms[factor].single is None:
            apart[gate] = forms[factor], other
    if not apart or total > most:
        return None
    rebuilding = Rebuilding(circuit)

    def product(gate: int) -> int:
        if gate not in apart:
            return rebuilding.copied(gate)
        return _term_by_term(rebuilding, *apart[gate], fresh)

    return rebuilding.done(product)


def wires_before(circuit: Circuit, level: int) -> list[int]:
    """What there is on wires when the products of a level are formed.

    Products of the level before, and everything older that moves; at the first level the inputs.
    """
    older = circuit.moving & (circuit.levels < level - 1)
    last = circuit.levels == level - 1
    given = circuit.operations == Operation.INPUT
    found: list[int] = np.flatnonzero(older | (last & circuit.products) | given).tolist()
    return found


def fresh_before(circuit: Circuit, level: int) -> set[int]:
    """Wires made in the layer before, which lie in one channel each: products, or the inputs."""
    if level == 1:
        return set(np.flatnonzero(circuit.operations == Operation.INPUT).tolist())
    last = circuit.levels == level - 1
    return set(np.flatnonzero(last & circuit.products).tolist())


class Rebuilding:
    """A circuit built anew, gate after gate."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        self.builder = Builder()
        self.new: dict[int, int] = {}

    def done(self, product: Callable[[int], int]) -> Circuit:
        """The new circuit; ``product`` makes the new gate of a product of two values that move."""
        circuit, builder = self.circuit, self.builder
        given = builder.inputs_like(circuit)
        moving = circuit.products.tolist()
        for gate, operation in enumerate(circuit.operations.tolist()):
            if operation == Operation.INPUT:
                self.new[gate] = given[circuit.left[gate]]
            elif operation == Operation.CONSTANT:
                self.new[gate] = builder.constant(circuit.constants[circuit.left[gate]])
            else:
                self.new[gate] = product(gate) if moving[gate] else self.copied(gate)
                if gate in circuit.names:
                    builder.call(self.new[gate], circuit.names[gate])
        return builder.finished_like(circuit, self.new.__getitem__)

    def copied(self, gate: int) -> int:
        """The same operation on the new operands."""
        circuit = self.circuit
        a, b = int(circuit.left[gate]), int(circuit.right[gate])
        return self.builder.combine(int(circuit.operations[gate]), self.new[a], self.new[b])

    def sum(self, weights: dict[int, Scalar], bias: Scalar = 0) -> int:
        """Σ weights · gates + bias, of gates of the old circuit."""
        builder = self.builder
        terms = [self.scaled(weight, self.new[gate]) for gate, weight in weights.items()]
        return builder.total([*terms, *([builder.constant(bias)] if bias else [])])

    def scaled(self, weight: Scalar, gate: int) -> int:
        """weight · a new gate."""
        return self.builder.multiply(self.builder.constant(weight), gate)


def _count(form: Affine, fresh: set[int]) -> int:
    """How many products a factor makes when it is taken apart."""
    own = sum(wire in fresh for wire in form.weights)
    return own + (own < len(form.weights))


def _term_by_term(rebuilding: Rebuilding, form: Affine, other: int, fresh: set[int]) -> int:
    """The sum of the products of a factor's terms with the other factor."""
    builder, factor = rebuilding.builder, rebuilding.new[other]
    if not form.weights:
        return rebuilding.scaled(form.bias, factor)
    old = {wire: weight for wire, weight in form.weights.items() if wire not in fresh}
    bias, terms = form.bias, []
    if old:
        terms.append(builder.multiply(rebuilding.sum(old, bias), factor))
        bias = 0
    for wire, weight in form.weights.items():
        if wire not in fresh:
            continue
        if bias:
            terms.append(builder.multiply(rebuilding.sum({wire: weight}, bias), factor))
            bias = 0
        else:
            product = builder.multiply(rebuilding.new[wire], factor)
            terms.append(rebuilding.scaled(weight, product))
    return builder.total(terms)
