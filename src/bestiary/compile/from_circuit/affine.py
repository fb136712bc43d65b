"""Sums of gates as weights of the wires that are there: one row of a gate side."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass

import numpy as np

from bestiary.circuits import Circuit, Operation
from bestiary.compile.constants import Scalar
from bestiary.errors import UserError


@dataclass(frozen=True, slots=True)
class Affine:
    """Σ weights[gate] · gate + bias."""

    weights: dict[int, Scalar]
    bias: Scalar = 0

    @property
    def single(self) -> int | None:
        """The gate of which it is a multiple plus a number, or None."""
        return next(iter(self.weights)) if len(self.weights) == 1 else None


class Affines:
    """Forms of gates over a set of them that are wires."""

    def __init__(self, circuit: Circuit, wires: Iterable[int]) -> None:
        self.operations = circuit.operations
        self.left, self.right = circuit.left, circuit.right
        self.constants = circuit.constants
        self.known = {gate: Affine({gate: 1}) for gate in wires}

    def __getitem__(self, gate: int) -> Affine:
        """The form of a gate; without recursion, for a chain of sums can be long."""
        waiting = [gate]
        while waiting:
            top = waiting[-1]
            if top in self.known:
                waiting.pop()
                continue
            missing = [g for g in self._operands(top) if g not in self.known]
            if missing:
                waiting += missing
                continue
            try:
                self.known[top] = self._combined(top)
            except OverflowError:
                raise UserError(
                    f"a constant is larger than float64 holds, {np.finfo(float).max:.1e}, and "
                    "meets a floating-point number; scale it down"
                ) from None
            waiting.pop()
        return self.known[gate]

    def _operands(self, gate: int) -> tuple[int, ...]:
        if self.operations[gate] == Operation.CONSTANT:
            return ()
        assert self.operations[gate] != Operation.INPUT, "an input is always a wire"
        return int(self.left[gate]), int(self.right[gate])

    def _combined(self, gate: int) -> Affine:
        operation = self.operations[gate]
        if operation == Operation.CONSTANT:
            number = self.constants[self.left[gate]]
            assert not isinstance(number, complex)
            return Affine({}, number)
        a, b = self.known[int(self.left[gate])], self.known[int(self.right[gate])]
        if operation == Operation.MULTIPLY:
            if a.weights:
                a, b = b, a
            assert not a.weights, "a product is always a wire"
            scaled = {wire: weight * a.bias for wire, weight in b.weights.items()}
            return Affine(_without_zeros(scaled), a.bias * b.bias)
        sign = 1 if operation == Operation.ADD else -1
        if len(a.weights) < len(b.weights) and sign == 1:
            a, b = b, a
        weights = dict(a.weights)
        for wire, weight in b.weights.items():
            total = weights.get(wire, 0) + sign * weight
            if total == 0:
                del weights[wire]
            else:
                weights[wire] = total
        return Affine(weights, a.bias + sign * b.bias)


def _without_zeros(weights: dict[int, Scalar]) -> dict[int, Scalar]:
    return {wire: weight for wire, weight in weights.items() if weight != 0}


def within(form: Affine, wires: Container[int]) -> bool:
    """Whether a form needs no other wires."""
    return all(wire in wires for wire in form.weights)
