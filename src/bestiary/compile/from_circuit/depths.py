"""The values of a circuit depth by depth: what is computed there, and what is only kept."""

from __future__ import annotations

from dataclasses import dataclass

from bestiary.circuits import Circuit, Operation
from bestiary.compile.constants import Scalar


@dataclass(frozen=True)
class Depth:
    """A value for each gate that is there: product · left · right + left_weights · left +
    right_weights · right + numbers, left and right being gates of the depth before (-1: none).

    A gate that is only kept is its own left operand.
    """

    gates: tuple[int, ...]
    left: tuple[int, ...] = ()
    right: tuple[int, ...] = ()
    product: tuple[bool, ...] = ()
    left_weights: tuple[Scalar, ...] = ()
    right_weights: tuple[Scalar, ...] = ()
    numbers: tuple[Scalar, ...] = ()


_Terms = tuple[int, int, bool, Scalar, Scalar, Scalar]


def depths_of(circuit: Circuit) -> list[Depth]:
    """All depths, the inputs first. The last one holds the outputs in their order, at least one
    depth after the inputs, so that they can be put in that order.

    A constant stands where it is used, and is a value of its own only as an output. Gates that no
    output needs are left out.
    """
    last = max(circuit.depth, 1)
    depth, operation = circuit.depths.tolist(), circuit.operations.tolist()
    left, right = circuit.left.tolist(), circuit.right.tolist()
    needed = circuit.needed.tolist()
    until = [0] * len(circuit)
    for gate in range(len(circuit)):
        if operation[gate] >= Operation.ADD and needed[gate]:
            for operand in (left[gate], right[gate]):
                until[operand] = max(until[operand], depth[gate] - 1)
    for gate in circuit.results.tolist():
        until[gate] = last - 1
    there: list[list[int]] = [[] for _ in range(last)]
    for gate in range(len(circuit)):
        if operation[gate] != Operation.CONSTANT and (depth[gate] or operation[gate] == 0):
            for at in range(max(depth[gate], 1), until[gate] + 1):
                there[at].append(gate)
    inputs = [gate for gate, kind in enumerate(operation) if kind == Operation.INPUT]
    inputs.sort(key=lambda gate: left[gate])
    there.append(circuit.results.tolist())
    return [Depth(tuple(inputs)), *(_depth(circuit, at, there[at]) for at in range(1, last + 1))]


def _depth(circuit: Circuit, at: int, gates: list[int]) -> Depth:
    terms = [_terms(circuit, gate, at) for gate in gates]
    left, right, product, over, on, numbers = zip(*terms, strict=True) if terms else ((),) * 6
    return Depth(tuple(gates), left, right, product, over, on, numbers)


def _terms(circuit: Circuit, gate: int, at: int) -> _Terms:
    operation = circuit.operations[gate]
    if operation == Operation.CONSTANT:
        return -1, -1, False, 0, 0, _number(circuit, gate)
    if circuit.depths[gate] < at:
        return gate, -1, False, 1, 0, 0
    a, b = int(circuit.left[gate]), int(circuit.right[gate])
    x, y = (_number(circuit, g) if _is_constant(circuit, g) else None for g in (a, b))
    if operation == Operation.MULTIPLY:
        if x is not None and y is not None:
            return -1, -1, False, 0, 0, x * y
        if x is not None:
            return -1, b, False, 0, x, 0
        if y is not None:
            return a, -1, False, y, 0, 0
        return a, b, True, 0, 0, 0
    sign = 1 if operation == Operation.ADD else -1
    number = (0 if x is None else x) + (0 if y is None else sign * y)
    return (
        -1 if x is not None else a,
        -1 if y is not None else b,
        False,
        int(x is None),
        sign if y is None else 0,
        number,
    )


def _is_constant(circuit: Circuit, gate: int) -> bool:
    return bool(circuit.operations[gate] == Operation.CONSTANT)


def _number(circuit: Circuit, gate: int) -> Scalar:
    number = circuit.constants[circuit.left[gate]]
    assert not isinstance(number, complex)
    return number
