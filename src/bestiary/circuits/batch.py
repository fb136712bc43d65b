"""Evaluate a circuit on whole batches, in float64 or complex128."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestiary.circuits.circuit import Circuit
from bestiary.circuits.gates import Operation
from bestiary.circuits.number import as_number, refuse_masked
from bestiary.errors import UserError


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
    refuse_masked(values, "an array of inputs")
    try:
        given = np.asarray(values)
    except ValueError:
        raise UserError(
            "rows of different lengths were given; an array (batch, inputs) is needed"
        ) from None
    if given.dtype == object:
        exact = [as_number(value, "an input") for value in given.ravel().tolist()]
        kind = complex if any(isinstance(number, complex) for number in exact) else float
        try:
            given = np.array(exact, dtype=kind).reshape(given.shape)
        except OverflowError:
            raise UserError(
                "an input is too large for a floating-point number; evaluate it exactly, on one "
                "input at a time"
            ) from None
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
