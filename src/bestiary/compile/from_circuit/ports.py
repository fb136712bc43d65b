"""What goes into the program of a circuit and comes out of it, by name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bestiary.circuits import Circuit, Operation
from bestiary.circuits.files.text import gate_names
from bestiary.compile.expression import Concat, Read, Value, input_array
from bestiary.compile.program import Program
from bestiary.errors import UserError


class Ports:
    """wires: for each input gate the channel of the input that it is."""

    def __init__(self, circuit: Circuit, rows: int) -> None:
        check_circuit(circuit)
        self.circuit = circuit
        self.rows = rows
        names = circuit.input_names
        self.input = input_array("inputs", circuit.width_in, names)
        at = np.flatnonzero(circuit.operations == Operation.INPUT).tolist()
        self.wires: dict[int, Value] = {}
        for gate in at:
            place = int(circuit.left[gate])
            self.wires[gate] = Read(
                width=1, name=names[place], x=self.input, picked=(place,), delay=0
            )
        self.results: dict[int, str] = {}
        for gate, name in zip(circuit.results.tolist(), circuit.output_names, strict=True):
            self.results.setdefault(gate, name)
        self.gates = gate_names(circuit)

    def name(self, gate: int) -> str:
        """What a gate is called: by a person, as an output, or as in the circuit's text."""
        named = self.circuit.names.get(gate) or self.results.get(gate)
        return named or self.gates.get(gate) or f"constant {gate}"

    def program(self, results: Sequence[Value]) -> Program:
        """The program whose output is these wires."""
        output = Concat(
            width=len(results),
            name="outputs",
            labels=tuple(self.circuit.output_names),
            parts=tuple(results),
            delay=0,
        )
        return Program((self.input,), output, rows=self.rows, name=self.circuit.name)


def check_circuit(circuit: Circuit) -> None:
    """``UserError`` where a circuit has no inputs, or complex constants: no layer can hold them."""
    if not circuit.width_in:
        raise UserError(f"{circuit.name} has no inputs; a stack needs at least one channel")
    if circuit.is_complex:
        raise UserError(
            f"{circuit.name} has complex constants; layers are real: compile its real and "
            "imaginary parts (bestiary.circuits.real_pairs)"
        )
