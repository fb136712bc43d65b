"""A circuit as a program of array operations: two linear maps and a product a level.

The general passes place it, product by product as early as its factors allow, where ``by_levels``
takes whole levels. Weights are dense here, so that it is for circuits of up to some thousand gates.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bestiary.circuits import Circuit
from bestiary.compile.constants import Array, plain
from bestiary.compile.expression import Value, concat, linear, mul, read
from bestiary.compile.from_circuit.affine import Affines
from bestiary.compile.from_circuit.levels import levels_of
from bestiary.compile.from_circuit.ports import Ports
from bestiary.compile.program import Program


def arrays(circuit: Circuit, rows: int = 1) -> Program:
    """A circuit, at every one of ``rows`` rows; its constants stay exact."""
    ports, levels = Ports(circuit, rows), levels_of(circuit)
    value: Value = ports.input
    gates = list(ports.wires)
    gates.sort(key=lambda gate: int(circuit.left[gate]))
    for level in range(1, levels.depth + 1):
        products, kept = list(levels.products[level]), list(levels.kept[level])
        sides = [circuit.left[products].tolist(), circuit.right[products].tolist()]
        left, right = (_of(circuit, value, gates, side) for side in sides)
        names = [ports.name(gate) for gate in products]
        formed = mul(left, right).named(f"level {level}", names)
        value = concat([_of(circuit, value, gates, kept), formed]) if kept else formed
        gates = kept + products
    results = circuit.results.tolist()
    output = _of(circuit, value, gates, results).named("outputs", circuit.output_names)
    return Program((ports.input,), output, rows=rows, name=circuit.name)


def _of(circuit: Circuit, value: Value, gates: Sequence[int], wanted: Sequence[int]) -> Value:
    """Gates out of those that a value holds: read where they are there, else as sums."""
    place = {gate: i for i, gate in enumerate(gates)}
    if all(gate in place for gate in wanted):
        return read(value, [place[gate] for gate in wanted])
    forms = Affines(circuit, gates)
    weight: Array = np.zeros((len(gates), len(wanted)), dtype=object)
    bias: Array = np.zeros(len(wanted), dtype=object)
    for j, gate in enumerate(wanted):
        form = forms[gate]
        bias[j] = form.bias
        for wire, number in form.weights.items():
            weight[place[wire], j] = number
    return linear(value, plain(weight), plain(bias))
