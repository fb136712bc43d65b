"""A circuit over the complex numbers as one over the reals, by pairs."""

from __future__ import annotations

from bestiary.circuits.building import Builder
from bestiary.circuits.circuit import Circuit
from bestiary.circuits.gates import Operation
from bestiary.circuits.number import Number

_Pair = tuple[int, int]
"""Gates of the real and of the imaginary part."""


def real_pairs(circuit: Circuit, complex_inputs: bool = True) -> Circuit:
    """The real circuit of real and imaginary parts.

    Every port of shape s becomes one of shape (*s, 2), real and imaginary part last; inputs keep
    their shape where ``complex_inputs`` is false, and are real. A product of complex numbers is
    four real products of the same level; parts that are 0 whatever the input cost nothing.
    """
    builder = Builder()
    zero = builder.constant(0)
    given: list[_Pair] = []
    for port in circuit.inputs:
        if complex_inputs:
            gates = builder.input(port.name, (*port.shape, 2))
            given += zip(gates[::2], gates[1::2], strict=True)
        else:
            given += [(gate, zero) for gate in builder.input(port.name, port.shape)]
    pairs: list[_Pair] = []
    triples = zip(
        circuit.operations.tolist(), circuit.left.tolist(), circuit.right.tolist(), strict=True
    )
    for operation, left, right in triples:
        if operation == Operation.INPUT:
            pairs.append(given[left])
        elif operation == Operation.CONSTANT:
            pairs.append(_constant(builder, circuit.constants[left]))
        else:
            pairs.append(_combined(builder, operation, pairs[left], pairs[right]))
    gates = iter(circuit.results.tolist())
    outputs = {
        port.name: (
            (*port.shape, 2),
            [part for _ in range(port.size) for part in pairs[next(gates)]],
        )
        for port in circuit.outputs
    }
    return builder.finished(outputs, circuit.name)


def _constant(builder: Builder, number: Number) -> _Pair:
    if not isinstance(number, complex):
        return builder.constant(number), builder.constant(0)
    # Parts that are whole numbers are exact, so that a part of 0 or 1 costs no product.
    parts = (int(part) if part.is_integer() else part for part in (number.real, number.imag))
    real, imaginary = parts
    return builder.constant(real), builder.constant(imaginary)


def _combined(builder: Builder, operation: int, a: _Pair, b: _Pair) -> _Pair:
    if operation == Operation.ADD:
        return builder.add(a[0], b[0]), builder.add(a[1], b[1])
    if operation == Operation.SUBTRACT:
        return builder.subtract(a[0], b[0]), builder.subtract(a[1], b[1])
    times = builder.multiply
    return (
        builder.subtract(times(a[0], b[0]), times(a[1], b[1])),
        builder.add(times(a[0], b[1]), times(a[1], b[0])),
    )
