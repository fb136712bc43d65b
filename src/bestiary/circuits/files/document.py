"""A circuit as a JSON document: every gate, number and name exactly, and no code.

::

    {"format": "bestiary circuit", "version": 1, "name": "f",
     "inputs": [["x", [3]]], "outputs": [["out", []]],
     "constants": ["3", "1/2", "0.1", "1+2j"],
     "gates": [["input", 0], ["constant", 1], ["multiply", 0, 1], …],
     "results": [2], "names": {"2": "half"}}

A gate is ``input`` with its place among all input scalars, ``constant`` with its place among the
constants, or ``add``, ``subtract`` or ``multiply`` with the numbers of two gates before it. Ports
have a name and a shape. ``results`` are the gates that come out, scalar by scalar.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from bestiary.circuits.circuit import Circuit
from bestiary.circuits.files.mistake import LONGEST_COUNT, count_of, mistake
from bestiary.circuits.files.numeral import read_number, write_number
from bestiary.circuits.gates import Operation, Port
from bestiary.circuits.number import shown
from bestiary.circuits.tracing import MOST_INPUTS
from bestiary.errors import UserError

FORMAT = "bestiary circuit"
VERSION = 1
KEYS = ("name", "inputs", "outputs", "constants", "gates", "results", "names")
KINDS = {operation.name.lower(): operation for operation in Operation}


def to_json(circuit: Circuit) -> str:
    """The circuit as a JSON document, a line each entry."""
    kinds = [Operation(kind).name.lower() for kind in circuit.operations.tolist()]
    triples = zip(kinds, circuit.left.tolist(), circuit.right.tolist(), strict=True)
    document = {
        "format": FORMAT,
        "version": VERSION,
        "name": circuit.name,
        "inputs": [[port.name, list(port.shape)] for port in circuit.inputs],
        "outputs": [[port.name, list(port.shape)] for port in circuit.outputs],
        "constants": [write_number(number) for number in circuit.constants],
        "gates": [[kind, a] if b < 0 else [kind, a, b] for kind, a, b in triples],
        "results": circuit.results.tolist(),
        "names": {str(gate): name for gate, name in circuit.names.items()},
    }
    lines = (f'"{k}": {json.dumps(v, ensure_ascii=False)}' for k, v in document.items())
    return "{" + ",\n ".join(lines) + "}\n"


def from_json(text: str, where: str = "the document") -> Circuit:
    """The circuit of a document. ``UserError`` for what is not one, is damaged or newer."""
    try:
        document = json.loads(text, parse_int=_whole)
    except json.JSONDecodeError as error:
        raise mistake(where, error.lineno, f"this is no JSON, or is cut off: {error.msg}") from None
    except RecursionError:
        raise UserError(f"{where} is no JSON of a circuit: its lists are too deep") from None
    except UserError as error:
        raise UserError(f"{where} is no JSON of a circuit: {error}") from None
    if not isinstance(document, Mapping) or document.get("format") != FORMAT:
        raise UserError(f'{where} is JSON without "format": "{FORMAT}"; it is no circuit')
    version = document.get("version")
    if type(version) is not int or version != VERSION:
        raise UserError(
            f"{where} is a circuit of format version {shown(version)}; this "
            f"program reads version {VERSION}"
        )
    missing = [key for key in KEYS if key not in document]
    if missing:
        raise UserError(f"{where} is a circuit without {', '.join(missing)}; it is damaged")
    try:
        return _circuit(document)
    except UserError as error:
        raise UserError(f"{where} is a circuit that is damaged: {error}") from None


def _circuit(document: Mapping[str, Any]) -> Circuit:
    gates = [_gate(i, entry) for i, entry in enumerate(_list(document["gates"], "gates"))]
    kinds, left, right = (np.array(row) for row in zip(*gates, strict=True)) if gates else ((),) * 3
    names = document["names"]
    if not isinstance(names, Mapping) or not isinstance(document["name"], str):
        raise UserError("its name, or the names of its gates, are no text")
    return Circuit(
        operations=np.asarray(kinds, dtype=np.int8),
        left=np.asarray(left, dtype=np.int64),
        right=np.asarray(right, dtype=np.int64),
        constants=tuple(
            read_number(_text(n, "a constant")) for n in _list(document["constants"], "constants")
        ),
        inputs=tuple(_port(entry) for entry in _list(document["inputs"], "inputs")),
        outputs=tuple(_port(entry) for entry in _list(document["outputs"], "outputs")),
        results=np.array(
            [_count(gate, "an output") for gate in _list(document["results"], "results")],
            dtype=np.int64,
        ),
        name=document["name"],
        names=dict(_named(gate, name, len(gates)) for gate, name in names.items()),
    )


def _gate(place: int, entry: Any) -> tuple[int, int, int]:
    kind = KINDS.get(entry[0]) if _is_list(entry) and entry and _is_text(entry[0]) else None
    if kind is None or len(entry) != (2 if kind < Operation.ADD else 3):
        raise UserError(
            f"gate {place} is {shown(entry)}; {', '.join(KINDS)} with one or two numbers is needed"
        )
    operands = [_count(operand, f"an operand of gate {place}") for operand in entry[1:]]
    return int(kind), operands[0], operands[1] if len(operands) == 2 else -1


def _named(gate: str, name: Any, gates: int) -> tuple[int, str]:
    """A gate with its name."""
    number = count_of(gate)
    if number is None or number >= gates:
        raise UserError(
            f"a name is for gate {shown(gate)}, which is not there; a whole number below {gates} "
            "is needed"
        )
    return number, _text(name, f"the name of gate {number}")


def _port(entry: Any) -> Port:
    if not (_is_list(entry) and len(entry) == 2 and _is_text(entry[0]) and _is_list(entry[1])):
        raise UserError(f'{shown(entry)} is no name and shape, such as ["x", [3]]')
    shape = tuple(_count(length, f"a length of {entry[0]}") for length in entry[1])
    if prod(shape) > MOST_INPUTS:
        raise UserError(f"{entry[0]} has shape {shape}; up to {MOST_INPUTS:,} scalars are taken")
    return Port(entry[0], shape)


def _count(value: Any, what: str) -> int:
    if type(value) is not int or value < 0:
        raise UserError(f"{what} is {shown(value)}; a whole number from 0 on is needed")
    if value >= 10**LONGEST_COUNT:
        raise UserError(f"{what} is {shown(value)}; up to {LONGEST_COUNT} digits are read")
    return value


def _whole(text: str) -> int:
    """A number of the document. Python refuses to read some thousands of digits."""
    try:
        return int(text)
    except ValueError:
        raise UserError(
            f"a whole number has {len(text.lstrip('-')):,} digits; up to {LONGEST_COUNT} are read, "
            "for constants are texts"
        ) from None


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise UserError(f"{what} is {shown(value)}; a text is needed")
    return value


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise UserError(f"its {what} are {shown(value)}; a list is needed")
    return value


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
