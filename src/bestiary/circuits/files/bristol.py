"""Boolean circuits in Bristol's formats, as polynomials on bits 0 and 1.

The first line has the numbers of gates and of wires. "Bristol Fashion" goes on with the number of
inputs and how many wires each has, then the same of the outputs; the older format has one line of
three numbers instead, the wires of two inputs and of the output. Each further line is a gate:
how many wires go in and come out, their numbers, and its name. Inputs are the first wires, outputs
the last ones.

::

    2 5
    2 1 2
    1 1

    2 1 0 1 3 AND
    2 1 3 2 4 XOR

AND is a·b, XOR a + b − 2·a·b, INV and NOT 1 − a, EQ a constant bit, EQW a copy, MAND n ANDs; OR,
NAND, NOR and XNOR, which some tools write, are read too. Inputs become x0, x1, … or x, outputs
out0, out1, … or out, vectors of bits in the order of their wires; wire 7 is called w7.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bestiary.circuits.bits import and_, nand, nor, not_, or_, xnor, xor
from bestiary.circuits.building import Builder
from bestiary.circuits.circuit import Circuit
from bestiary.circuits.files.mistake import count_of, counts_of, fields_of, mistake, too_long
from bestiary.circuits.files.order import Statement, in_order
from bestiary.circuits.symbol import Symbol
from bestiary.circuits.tracing import MOST_INPUTS
from bestiary.errors import UserError

TWO: Mapping[str, Callable[[Any, Any], Any]] = {
    "AND": and_,
    "XOR": xor,
    "OR": or_,
    "NAND": nand,
    "NOR": nor,
    "XNOR": xnor,
}
ONE: Mapping[str, Callable[[Any], Any]] = {"INV": not_, "NOT": not_, "EQW": lambda a: a}
NAMES = (*TWO, *ONE, "EQ", "MAND")
"""EQ has a bit in the place of a wire; MAND has as many ANDs as wires come out."""

_Line = tuple[int, list[str]]


def from_bristol(text: str, where: str = "the text", name: str = "circuit") -> Circuit:
    """The circuit of a text, called ``name``. ``UserError`` with the line of what is wrong."""
    lines = fields_of(text)
    for number, fields in lines:
        if long := too_long(fields):
            raise mistake(where, number, long)
    (gates, wires), sizes_in, sizes_out, lines = _header(lines, where)
    if len(lines) != gates:
        what = "is cut off after" if len(lines) < gates else "has"
        raise UserError(f"{where} {what} {len(lines)} gates; its first line says {gates}")
    width = sum(sizes_in)
    statements = [_statement(number, fields, wires, where) for number, fields in lines]
    made = width + sum(len(statement.makes) for statement in statements)
    if made != wires:
        raise UserError(
            f"{where} has {made} wires, {width} of inputs and {made - width} of gates; its first "
            f"line says {wires}"
        )
    builder = Builder()
    values = _inputs(builder, sizes_in)
    for place in in_order(statements, range(width), where, lambda wire: f"wire {wire}"):
        statement = statements[place]
        operands = [values[wire] for wire in statement.needs]
        results = _results(builder, lines[place][1], operands)
        for wire, value in zip(statement.makes, results, strict=True):
            values[wire] = value
            builder.call(value.gate, f"w{wire}")
    if sum(sizes_out) > wires:
        raise UserError(f"{where} has {wires} wires and says that {sum(sizes_out)} come out")
    outputs, wire = {}, wires - sum(sizes_out)
    for port, size in _named("out", sizes_out).items():
        outputs[port] = (size,), [values[w].gate for w in range(wire, wire + size)]
        wire += size
    return builder.finished(outputs, name)


def _header(
    lines: list[_Line], where: str
) -> tuple[tuple[int, int], list[int], list[int], list[_Line]]:
    """Gates and wires, the sizes of inputs and of outputs, and the lines of gates."""
    numeric: list[tuple[int, list[int]]] = []
    for number, fields in lines[:3]:
        counts = counts_of(fields)
        if counts is None:
            break
        numeric.append((number, counts))
    if len(numeric) < 2 or len(numeric[0][1]) != 2:
        number = numeric[0][0] if numeric else lines[0][0] if lines else 1
        raise mistake(
            where,
            number,
            "two numbers, of gates and of wires, and below them the sizes of inputs are expected",
        )
    (_, (gates, wires)), (second, sizes) = numeric[0], numeric[1]
    if len(numeric) == 3:
        sizes_in = _sizes(second, sizes, "inputs", where)
        sizes_out = _sizes(*numeric[2], "outputs", where)
    elif len(sizes) == 3:
        sizes_in, sizes_out = sizes[:2], sizes[2:]
    else:
        raise mistake(
            where,
            second,
            f"{len(sizes)} numbers stand where the sizes of two inputs and of the output are "
            "expected, or the number of inputs and their sizes, and then the outputs",
        )
    if sum(sizes_in) > min(wires, MOST_INPUTS):
        raise mistake(
            where,
            second,
            f"{sum(sizes_in)} wires of inputs are more than {min(wires, MOST_INPUTS)}",
        )
    return (gates, wires), sizes_in, sizes_out, lines[len(numeric) :]


def _sizes(line: int, counts: list[int], what: str, where: str) -> list[int]:
    if len(counts) != counts[0] + 1:
        raise mistake(
            where, line, f"{counts[0]} {what} are said, and sizes of {len(counts) - 1} are given"
        )
    return counts[1:]


def _statement(line: int, fields: list[str], wires: int, where: str) -> Statement[int]:
    """The wires of a line: those that go in, without the bit of an EQ, and those that come out."""
    *texts, kind = fields
    if kind not in NAMES:
        said = f"{kind} is no gate" if count_of(kind) is None else "the line is cut off"
        raise mistake(where, line, f"{said}; {', '.join(NAMES)} are read")
    numbers = counts_of(texts)
    if numbers is None:
        text = next(text for text in texts if count_of(text) is None)
        raise mistake(where, line, f"{text} is no number of a wire; whole numbers are expected")
    going, coming = numbers[:1], numbers[1:2]
    if len(numbers) < 2 or len(numbers) != 2 + going[0] + coming[0]:
        raise mistake(
            where,
            line,
            f"{len(numbers[2:])} wires are given; the first two numbers of the line say how many "
            "go in and come out",
        )
    arity = (2 * coming[0], coming[0]) if kind == "MAND" else (1 + (kind in TWO), 1)
    if (going[0], coming[0]) != arity:
        raise mistake(
            where,
            line,
            f"{kind} has {arity[0]} wires in and {arity[1]} out, not {going[0]} and {coming[0]}",
        )
    needs, makes = tuple(numbers[2 : 2 + going[0]]), tuple(numbers[2 + going[0] :])
    if kind == "EQ":
        if needs[0] > 1:
            raise mistake(where, line, f"EQ has the bit {needs[0]}; 0 or 1 is expected")
        needs = ()
    for wire in (*needs, *makes):
        if wire >= wires:
            raise mistake(where, line, f"wire {wire} is not among the {wires} of the first line")
    return Statement(line, makes, needs)


def _inputs(builder: Builder, sizes: list[int]) -> dict[int, Symbol]:
    gates = [
        gate for port, size in _named("x", sizes).items() for gate in builder.input(port, (size,))
    ]
    return {wire: Symbol(builder, gate) for wire, gate in enumerate(gates)}


def _named(what: str, sizes: list[int]) -> dict[str, int]:
    """Names of ports, which the older format gives no wires where there are less than two."""
    sizes = [size for size in sizes if size]
    return {what: sizes[0]} if len(sizes) == 1 else {f"{what}{i}": s for i, s in enumerate(sizes)}


def _results(builder: Builder, fields: list[str], operands: list[Symbol]) -> list[Symbol]:
    kind = fields[-1]
    if kind == "EQ":
        return [Symbol(builder, builder.constant(int(fields[2])))]
    if kind == "MAND":
        half = len(operands) // 2
        return [and_(a, b) for a, b in zip(operands[:half], operands[half:], strict=True)]
    return [TWO[kind](*operands) if kind in TWO else ONE[kind](*operands)]
