"""Sums of gates as weights of the wires that are there: one row of a gate side."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
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
            with _overflow_told():
                self.known[top] = self._combined(top)
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
        _add(weights, b.weights, sign)
        return Affine(weights, a.bias + sign * b.bias)


def substituted(form: Affine, forms: Mapping[int, Affine]) -> Affine:
    """A form over the wires of the forms of its own: Σ weights[gate] · forms[gate] + bias."""
    weights: dict[int, Scalar] = {}
    bias = form.bias
    with _overflow_told():
        for gate, weight in form.weights.items():
            _add(weights, forms[gate].weights, weight)
            bias += weight * forms[gate].bias
    return Affine(weights, bias)


def _add(weights: dict[int, Scalar], others: Mapping[int, Scalar], scale: Scalar) -> None:
    """Add scale · others; what comes to nothing is left out."""
    for wire, weight in others.items():
        total = weights.get(wire, 0) + scale * weight
        if total == 0:
            weights.pop(wire, None)
        else:
            weights[wire] = total


@contextmanager
def _overflow_told() -> Iterator[None]:
    """``UserError`` where an exact number is beyond the floats that it meets."""
    try:
        yield
    except OverflowError:
        raise UserError(
            f"a constant is larger than float64 holds, {np.finfo(float).max:.1e}, and "
            "meets a floating-point number; scale it down"
        ) from None


def _without_zeros(weights: dict[int, Scalar]) -> dict[int, Scalar]:
    return {wire: weight for wire, weight in weights.items() if weight != 0}


def within(form: Affine, wires: Container[int]) -> bool:
    """Whether a form needs no other wires."""
    return all(wire in wires for wire in form.weights)
