"""Evaluate a circuit: exactly gate by gate, modulo a number, or in float64 on whole batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestiary.circuits.circuit import Circuit, Operation, Port
from bestiary.circuits.number import Number, as_number, shown
from bestiary.circuits.symbol import Symbol
from bestiary.errors import UserError


def evaluate(circuit: Circuit, values: Sequence[Any], modulus: int | None = None) -> list[Number]:
    """The outputs for one number an input, exactly: ints and fractions stay so.

    modulus: compute with whole numbers modulo this one, 2 or more; fractions of the circuit are
    taken with inverses, ``UserError`` where there is none.
    """
    if len(values) != circuit.width_in:
        raise UserError(
            f"{len(values)} numbers were given to {circuit.name}; it takes {circuit.width_in}"
        )
    if modulus is None:
        return _computed(circuit, [as_number(value, "an input") for value in values])
    if not isinstance(modulus, Integral) or modulus < 2:
        raise UserError(f"the modulus is {shown(modulus)}; a whole number from 2 on is needed")
    return _computed(circuit, [as_number(value, "an input") for value in values], int(modulus))


def _computed(circuit: Circuit, values: Sequence[Any], modulus: int | None = None) -> list[Any]:
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


def called(circuit: Circuit, arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """Evaluate for arguments of the shapes of the inputs, like the function that was traced."""
    ports = {port.name: port for port in circuit.inputs}
    if len(arguments) > len(ports):
        raise UserError(
            f"{len(arguments)} arguments were given to {circuit.name}; it takes {len(ports)}"
        )
    given = dict(zip(ports, arguments, strict=False))
    for name, value in named.items():
        if name not in ports or name in given:
            raise UserError(
                f"{circuit.name} was given {name} twice or does not take it; it takes "
                f"{', '.join(ports)}"
            )
        given[name] = value
    values: list[Any] = []
    for name, port in ports.items():
        if name not in given:
            raise UserError(f"{circuit.name} was called without {name}")
        values += _scalars(circuit, port, given[name])
    # A circuit that is called with values of a function that is being traced becomes part of it.
    within = any(isinstance(value, Symbol) for value in values)
    numbers = iter(_computed(circuit, values) if within else evaluate(circuit, values))
    results: dict[str, Any] = {}
    for port in circuit.outputs:
        own = [next(numbers) for _ in range(port.size)]
        if port.shape == ():
            results[port.name] = own[0]
        else:
            flat = np.empty(port.size, dtype=object)
            flat[:] = own
            results[port.name] = flat.reshape(port.shape)
    return next(iter(results.values())) if len(results) == 1 else results


def _scalars(circuit: Circuit, port: Port, value: Any) -> list[Any]:
    try:
        array = np.asarray(value, dtype=object)
    except ValueError:
        raise UserError(f"{port.name} is ragged; {circuit.name} takes {port.shape}") from None
    if array.shape != port.shape:
        raise UserError(f"{port.name} has shape {array.shape}; {circuit.name} takes {port.shape}")
    return array.ravel().tolist()


def evaluate_batch(circuit: Circuit, values: Any) -> NDArray[Any]:
    """The outputs for many inputs at once: (batch, inputs) → (batch, outputs).

    In float64, or complex128 where an input or a constant is complex. Gates of one depth are
    computed together.
    """
    given = _numbers(values)
    if given.ndim != 2 or given.shape[1] != circuit.width_in:
        raise UserError(
            f"inputs of shape {given.shape} were given to {circuit.name}; (batch, "
            f"{circuit.width_in}) is needed"
        )
    complex_ = circuit.is_complex or given.dtype.kind == "c"
    work = np.empty((len(circuit), len(given)), dtype=np.complex128 if complex_ else np.float64)
    for operation, gates, left, right in _groups(circuit):
        if operation == Operation.INPUT:
            work[gates] = given.T[left]
        elif operation == Operation.CONSTANT:
            work[gates] = _floats(circuit, complex if complex_ else float)[left, None]
        elif operation == Operation.ADD:
            work[gates] = work[left] + work[right]
        elif operation == Operation.SUBTRACT:
            work[gates] = work[left] - work[right]
        else:
            work[gates] = work[left] * work[right]
    return work[circuit.results].T


def _numbers(values: Any) -> NDArray[Any]:
    given = np.asarray(values)
    if given.dtype == object:
        exact = [as_number(value, "an input") for value in given.ravel().tolist()]
        kind = complex if any(isinstance(number, complex) for number in exact) else float
        given = np.array(exact, dtype=kind).reshape(given.shape)
    if given.dtype.kind not in "biufc":
        raise UserError(f"inputs of type {given.dtype} were given; numbers are needed")
    return given


def _floats(circuit: Circuit, kind: Callable[[Any], complex]) -> NDArray[Any]:
    try:
        return np.array([kind(number) for number in circuit.constants])
    except OverflowError:
        raise UserError(
            f"a constant of {circuit.name} is too large for a floating-point number; evaluate it "
            "exactly, on one input at a time"
        ) from None


_Group = tuple[int, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


@lru_cache(maxsize=16)
def _groups(circuit: Circuit) -> tuple[_Group, ...]:
    """Gates of one depth and operation, shallow ones first: (operation, gates, left, right)."""
    keys = circuit.depths * 8 + circuit.operations
    order = np.argsort(keys, kind="stable")
    cuts = np.flatnonzero(np.diff(keys[order])) + 1
    return tuple(
        (int(circuit.operations[gates[0]]), gates, circuit.left[gates], circuit.right[gates])
        for gates in np.split(order, cuts)
        if len(gates)
    )
