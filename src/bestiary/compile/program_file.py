"""Programs as data: a JSON graph of operations, and their arrays beside it.

``pack`` and ``unpack`` keep everything: names, delays, scheduled cells, ints and fractions exactly.
A program in a file is a safetensors file whose header is the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bestiary.compile.cell import Cell
from bestiary.compile.expression import (
    Add,
    Concat,
    Constant,
    Conv,
    Input,
    Linear,
    Mul,
    Pad,
    Read,
    RowScale,
    Shift,
    Value,
)
from bestiary.compile.number_code import ArrayReader, ArrayWriter, number_code, number_of
from bestiary.compile.program import Program
from bestiary.errors import UserError, unknown_name
from bestiary.mixers.tensor_file import Document, check_header, read_document, write_document

FORMAT = "bestiary program"
VERSION = 1
WHAT = "a program file"

Code = dict[str, Any]


def save_program(path: str | Path, program: Program) -> None:
    """Write a program. ``UserError`` where the place cannot be written to."""
    write_document(path, pack(program))


def load_program(path: str | Path) -> Program:
    """The program in a file. ``UserError`` for one that is not ours, damaged or newer."""
    return unpack(read_document(path, FORMAT, VERSION, WHAT), str(path))


def pack(program: Program) -> Document:
    """The program as a JSON header and flat arrays."""
    writer = ArrayWriter()
    number = {id(value): i for i, value in enumerate(program.order)}
    values = []
    for value in program.order:
        code: Code = {"is": value.operation, "width": value.width}
        if value.operands:
            code["of"] = [number[id(operand)] for operand in value.operands]
        if value.name:
            code["name"] = value.name
        if value.labels is not None:
            code["labels"] = list(value.labels)
        if value.delay is not None:
            code["delay"] = int(value.delay)
        values.append(code | _WRITE[type(value)](writer, value))
    header = {
        "format": FORMAT,
        "version": VERSION,
        "name": program.name,
        "rows": program.rows,
        "reads": program.reads,
        "mode": program.mode,
        "ring": program.ring,
        "degree": program.degree,
        "inputs": [number[id(value)] for value in program.inputs],
        "output": number[id(program.output)],
        "values": values,
    }
    return Document(header, writer.pools())


def unpack(document: Document, where: str = "a document") -> Program:
    """The program again. ``UserError`` for what is not one, is damaged or newer."""
    header = check_header(document.header, FORMAT, VERSION, where, WHAT)
    try:
        return _restored(header, ArrayReader(document.arrays))
    except (KeyError, TypeError, IndexError, ValueError, AttributeError, StopIteration) as error:
        missing = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise UserError(f"{where} is {WHAT} that is damaged: {missing}") from error


def _restored(header: Code, reader: ArrayReader) -> Program:
    values: list[Value] = []
    for code in header["values"]:
        operation = code["is"]
        if operation not in _READ:
            raise unknown_name("operation", str(operation), _READ)
        operands = []
        for i in code.get("of", ()):
            if not 0 <= i < len(values):
                raise ValueError(f"value {len(values)} is made from value {i}, which comes later")
            operands.append(values[i])
        labels = code.get("labels")
        unnamed = [n for n in (code.get("name", ""), *(labels or ())) if not isinstance(n, str)]
        if unnamed:
            raise ValueError(f"value {len(values)} is called {unnamed[0]!r}; a name is text")
        common = {
            "width": code["width"],
            "name": code.get("name", ""),
            "labels": None if labels is None else tuple(labels),
            "delay": code.get("delay"),
        }
        values.append(_READ[operation](reader, code, operands, common))
    reads = header["reads"]
    # Files written before it was stored say nothing of it, or whether the program is linear.
    degree = header.get("degree", 1 if header.get("linear") is True else None)
    if degree is not None and (type(degree) is not int or degree < 0):
        raise ValueError(f"its degree is {degree!r}; a number from 0 is needed, or null")
    return Program(
        tuple(values[i] for i in header["inputs"]),
        values[header["output"]],
        header["rows"],
        None if reads is None else (reads[0], reads[1]),
        header["mode"],
        header["ring"],
        header["name"],
        degree,
    )


def _cell_code(writer: ArrayWriter, cell: Cell) -> Code:
    code: Code = {
        "weights": [number_code(weight) for weight in cell.weights],
        "gate_bias": writer.row_number(cell.gate_bias),
        "conv_bias": writer.row_number(cell.conv_bias),
    }
    if cell.convolved is not None:
        code["taps"] = None if cell.taps is None else writer.taps(cell.taps)
    if cell.layer is not None:
        code["layer"] = int(cell.layer)
    if cell.channel is not None:
        code["channel"] = int(cell.channel)
    return code


def _cell(reader: ArrayReader, code: Code, operands: list[Value], common: Code) -> Cell:
    weights = tuple(number_of(weight) for weight in code["weights"])
    taps = code.get("taps")
    return Cell(
        **common,
        gate=tuple(operands[: len(weights)]),
        weights=weights,
        gate_bias=reader.row_number(code["gate_bias"]),
        convolved=operands[len(weights)] if "taps" in code else None,
        taps=None if taps is None else reader.taps(taps),
        conv_bias=reader.row_number(code["conv_bias"]),
        layer=code.get("layer"),
        channel=code.get("channel"),
    )


_WRITE: Mapping[type, Callable[[ArrayWriter, Any], Code]] = {
    Input: lambda writer, value: {},
    Constant: lambda writer, value: {"rows": writer.rows(value.rows)},
    Linear: lambda writer, value: {
        "weight": writer.array(value.weight),
        "bias": None if value.bias is None else writer.rows(value.bias),
    },
    RowScale: lambda writer, value: {"scale": writer.rows(value.scale)},
    Conv: lambda writer, value: {"taps": writer.taps(value.taps)},
    Shift: lambda writer, value: {"by": int(value.by)},
    Mul: lambda writer, value: {},
    Add: lambda writer, value: {},
    Concat: lambda writer, value: {},
    Pad: lambda writer, value: {"before": int(value.before)},
    Read: lambda writer, value: {"picked": [int(i) for i in value.picked]},
    Cell: _cell_code,
}

_READ: Mapping[str, Callable[[ArrayReader, Code, list[Value], Code], Value]] = {
    "input": lambda reader, code, on, common: Input(**common),
    "constant": lambda reader, code, on, common: Constant(**common, rows=reader.rows(code["rows"])),
    "linear": lambda reader, code, on, common: Linear(
        **common,
        x=on[0],
        weight=reader.array(code["weight"]),
        bias=None if code["bias"] is None else reader.rows(code["bias"]),
    ),
    "rowscale": lambda reader, code, on, common: RowScale(
        **common, x=on[0], scale=reader.rows(code["scale"])
    ),
    "conv": lambda reader, code, on, common: Conv(
        **common, x=on[0], taps=reader.taps(code["taps"])
    ),
    "shift": lambda reader, code, on, common: Shift(**common, x=on[0], by=code["by"]),
    "mul": lambda reader, code, on, common: Mul(**common, a=on[0], b=on[1]),
    "add": lambda reader, code, on, common: Add(**common, terms=tuple(on)),
    "concat": lambda reader, code, on, common: Concat(**common, parts=tuple(on)),
    "pad": lambda reader, code, on, common: Pad(**common, x=on[0], before=code["before"]),
    "read": lambda reader, code, on, common: Read(**common, x=on[0], picked=tuple(code["picked"])),
    "cell": _cell,
}
