"""Arithmetic circuits in the text format of libsnark's jsnark and Pinocchio (.arith).

::

    total 7
    input 0                         # the one wire
    input 1
    nizkinput 2
    add in 2 <1 2> out 1 <3>
    const-mul-neg-2 in 1 <0> out 1 <4>
    mul in 2 <3 4> out 1 <5>
    output 5

``add`` takes any number of wires, ``mul`` two, ``const-mul-HEX`` and ``const-mul-neg-HEX`` one;
``xor`` and ``or`` are a + b − 2·a·b and a + b − a·b of bits, ``pack`` is Σ 2^i · bit. ``assert``,
``split`` and ``zerop`` are conditions on values or no polynomials, and are refused. Numbers are
whole, and only modulo a prime those of the field that such a circuit is meant for:
``evaluate(circuit, values, modulus)``.

Inputs become the vectors ``input`` and ``nizkinput``, outputs the vector ``output``, in the order
of their lines; wire 7 is called w7. What jsnark calls the one-input wire is an input like others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from bestiary.circuits.bits import or_, xor
from bestiary.circuits.building import Builder
from bestiary.circuits.circuit import Circuit
from bestiary.circuits.files.mistake import counts_of, mistake, too_long
from bestiary.circuits.files.order import Statement, in_order
from bestiary.circuits.symbol import Symbol
from bestiary.circuits.tracing import MOST_INPUTS
from bestiary.errors import UserError

GATE = re.compile(r"(\S+) in (N) <([0-9 ]*)> out (N) <([0-9 ]*)>".replace("N", "[0-9]{1,18}"))
SCALED = re.compile(r"const-mul-(neg-)?([0-9a-fA-F]+)")
PORTS = ("input", "nizkinput", "output")
FORMS = "input N, nizkinput N, output N or GATE in N <WIRES> out N <WIRES>"
WIRES_IN = {"add": None, "mul": 2, "xor": 2, "or": 2, "pack": None}
"""How many wires go into a gate; None for any number from 1 on."""
REFUSED = {
    "assert": "a condition on wires and computes none; leave the line out",
    "split": "the bits of a wire, which are no polynomial of it; take the bits as inputs",
    "zerop": "a comparison with 0, which is no polynomial; take what it gives as an input",
}
_Statement = Statement[int]


@dataclass
class _Wires:
    """What the lines say of wires. kinds: the gate of each statement."""

    ports: dict[str, list[tuple[int, int]]] = field(
        default_factory=lambda: {port: [] for port in PORTS}
    )
    statements: list[_Statement] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)


def from_arith(text: str, where: str = "the text", name: str = "circuit") -> Circuit:
    """The circuit of a text, called ``name``. ``UserError`` with the line of what is wrong."""
    wires = _read(text, where)
    builder = Builder()
    values: dict[int, Symbol] = {}
    for port in PORTS[:2]:
        numbers = wires.ports[port]
        if len(numbers) > MOST_INPUTS:
            raise UserError(f"{where} has {len(numbers)} inputs; up to {MOST_INPUTS:,} are taken")
        gates = builder.input(port, (len(numbers),)) if numbers else []
        for (line, wire), gate in zip(numbers, gates, strict=True):
            if wire in values:
                raise mistake(where, line, f"wire {wire} is an input twice")
            values[wire] = Symbol(builder, gate)
    for place in in_order(wires.statements, set(values), where, lambda wire: f"wire {wire}"):
        statement = wires.statements[place]
        operands = [values[wire] for wire in statement.needs]
        (wire,) = statement.makes
        try:
            values[wire] = _result(builder, wires.kinds[place], operands)
        except UserError as error:
            raise mistake(where, statement.line, error) from None
        builder.call(values[wire].gate, f"w{wire}")
    if not wires.ports["output"]:
        raise UserError(f"{where} has no outputs, or is cut off; a line such as output 5 is needed")
    results = []
    for line, wire in wires.ports["output"]:
        if wire not in values:
            raise mistake(where, line, f"wire {wire} comes out and is not defined")
        results.append(values[wire].gate)
    return builder.finished({"output": ((len(results),), results)}, name)


def _read(text: str, where: str) -> _Wires:
    wires, total = _Wires(), None
    for number, line in enumerate(text.split("\n"), 1):
        fields = line.partition("#")[0].split()
        if not fields:
            continue
        if long := too_long(fields):
            raise mistake(where, number, long)
        counts = counts_of(fields[1:]) or []
        if total is None:
            if fields[0] != "total" or len(counts) != 1:
                raise mistake(where, number, "total and the number of wires are expected first")
            total = counts[0]
        elif fields[0] in PORTS:
            if len(counts) != 1 or len(fields) != 2:
                raise mistake(where, number, f"one number of a wire is expected after {fields[0]}")
            _within(counts, total, number, where)
            wires.ports[fields[0]].append((number, counts[0]))
        else:
            kind, statement = _gate(" ".join(fields), number, where)
            _within([*statement.needs, *statement.makes], total, number, where)
            wires.kinds.append(kind)
            wires.statements.append(statement)
    if total is None:
        raise UserError(f"{where} is empty; total and the number of wires are expected first")
    return wires


def _gate(line: str, number: int, where: str) -> tuple[str, _Statement]:
    kind = line.split(" ", 1)[0]
    if kind in REFUSED:
        raise mistake(where, number, f"{kind} is {REFUSED[kind]}")
    found = GATE.fullmatch(line)
    wires_in = counts_of(found[3].split()) if found else None
    wires_out = counts_of(found[5].split()) if found else None
    if found is None or wires_in is None or wires_out is None:
        raise mistake(where, number, f"{line[:40]} is broken; {FORMS} is expected")
    if (len(wires_in), len(wires_out)) != (int(found[2]), int(found[4])):
        raise mistake(
            where,
            number,
            f"{len(wires_in)} wires go in and {len(wires_out)} come out; the line says {found[2]} "
            f"and {found[4]}",
        )
    if not SCALED.fullmatch(kind) and kind not in WIRES_IN:
        raise mistake(
            where, number, f"{kind} is no gate; {', '.join(WIRES_IN)} and const-mul-HEX are read"
        )
    wanted = WIRES_IN.get(kind, 1)
    if len(wires_out) != 1 or not wires_in or wanted not in (None, len(wires_in)):
        many = "1 or more" if wanted is None else wanted
        raise mistake(
            where,
            number,
            f"{kind} has {many} wires in and 1 out, not {len(wires_in)} and {len(wires_out)}",
        )
    return kind, Statement(number, tuple(wires_out), tuple(wires_in))


def _within(wires: list[int], total: int, line: int, where: str) -> None:
    for wire in wires:
        if wire >= total:
            raise mistake(where, line, f"wire {wire} is not among the {total} of the first line")


def _result(builder: Builder, kind: str, operands: list[Symbol]) -> Symbol:
    gates = [symbol.gate for symbol in operands]
    scaled = SCALED.fullmatch(kind)
    if scaled:
        factor = int(scaled[2], 16) * (-1 if scaled[1] else 1)
        return Symbol(builder, builder.multiply(builder.constant(factor), gates[0]))
    if kind == "add":
        return Symbol(builder, builder.total(gates))
    if kind == "pack":
        terms = [builder.multiply(builder.constant(1 << i), gate) for i, gate in enumerate(gates)]
        return Symbol(builder, builder.total(terms))
    if kind == "mul":
        return Symbol(builder, builder.product(gates))
    result: Symbol = (xor if kind == "xor" else or_)(*operands)
    return result
