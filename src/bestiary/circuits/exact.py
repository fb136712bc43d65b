"""Evaluate a circuit gate by gate: exactly, or modulo a number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from numbers import Integral
from typing import Any

from bestiary.circuits.gates import Gates, Operation
from bestiary.circuits.number import Number, as_number, shown
from bestiary.errors import UserError


def evaluate(circuit: Gates, values: Iterable[Any], modulus: int | None = None) -> list[Number]:
    """The outputs for one number an input, exactly: ints and fractions stay so.

    modulus: compute with whole numbers modulo this one, 2 or more; fractions of the circuit are
    taken with inverses, ``UserError`` where there is none.
    """
    if not isinstance(values, Iterable):
        raise UserError(
            f"{shown(values)} was given to {circuit.name}; a list of {circuit.width_in} numbers is "
            "needed"
        )
    given = [as_number(value, "an input") for value in values]
    if len(given) != circuit.width_in:
        raise UserError(
            f"{len(given)} numbers were given to {circuit.name}; it takes {circuit.width_in}"
        )
    if modulus is None:
        return computed(circuit, given)
    if not isinstance(modulus, Integral) or modulus < 2:
        raise UserError(f"the modulus is {shown(modulus)}; a whole number from 2 on is needed")
    return computed(circuit, given, int(modulus))


def computed(circuit: Gates, values: Sequence[Any], modulus: int | None = None) -> list[Any]:
    """The outputs for numbers, or for whatever else can be added and multiplied."""
    given, constants = list(values), list(circuit.constants)
    if modulus is not None:
        given = [_reduced(number, modulus) for number in given]
        constants = [_reduced(number, modulus) for number in constants]
    gates: list[Any] = []
    triples = zip(
        circuit.operations.tolist(), circuit.left.tolist(), circuit.right.tolist(), strict=True
    )
    try:
        for operation, left, right in triples:
            if operation == Operation.INPUT:
                value = given[left]
            elif operation == Operation.CONSTANT:
                value = constants[left]
            elif operation == Operation.ADD:
                value = gates[left] + gates[right]
            elif operation == Operation.SUBTRACT:
                value = gates[left] - gates[right]
            else:
                value = gates[left] * gates[right]
            gates.append(value if modulus is None else value % modulus)
    except OverflowError:
        raise UserError(
            f"a number of gate {len(gates)} of {circuit.name} is too large for the floating-point "
            "number that it meets; give whole numbers and fractions alone"
        ) from None
    results = [gates[gate] for gate in circuit.results.tolist()]
    # A fraction that came out whole is a whole number.
    return [as_number(value) if isinstance(value, Fraction) else value for value in results]


def _reduced(number: Number, modulus: int | None) -> Number:
    if modulus is None:
        return number
    if isinstance(number, int):
        return number % modulus
    if not isinstance(number, Fraction):
        raise UserError(
            f"{number} is no whole number or fraction; modulo {modulus} only those are taken"
        )
    try:
        return number.numerator * pow(number.denominator, -1, modulus) % modulus
    except ValueError:
        raise UserError(f"{number} has no value modulo {modulus}") from None
