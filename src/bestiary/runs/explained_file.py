"""A compiled file on one input: an array that a person has, or random numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestiary.circuits.gates import Port
from bestiary.compile.array_run import laid_out
from bestiary.compile.circuit_form import CircuitForm
from bestiary.compile.compiled_file import compiled_of
from bestiary.compile.origin import Origin
from bestiary.errors import UserError, counted
from bestiary.mixers.stack_file import StackFile, read_stack_file
from bestiary.runs.explained import Explained, Names
from bestiary.structured.array_file import read_npy

Floats = NDArray[np.float64]

MEANINGS = {
    "depth": "the gates of that depth of the circuit, one after the other, row by row",
    "left": "the left operands of the gates of that depth, brought to their places stage by stage",
    "right": "the right operands of the gates of that depth, likewise",
    "moved": "the same, each number moved to the rows that this stage brings it to",
    "products": "left times right, or left times a constant",
    "numbers": "what is added to that",
}
"""Of the words in the names of a narrow circuit's values."""


def explained_file(path: Path, given: Path | None, seed: int = 0, example: int = 0) -> Explained:
    """A compiled file on an array in a .npy file, or on random numbers where none is given.

    The array is read as `bestiary run` reads it; example: which one of a batch. ``UserError`` for
    an array that `bestiary run` refuses, and for an example that is not in it.
    """
    file = read_stack_file(path)
    compiled = compiled_of(file, str(path))
    rows, width = compiled.source.rows, compiled.source.width
    origin = Origin.from_dict(file.about.get("origin"))
    form = None if origin is None else origin.circuit
    if given is None:
        inputs, about = _random(form, rows, width, seed)
    else:
        inputs, about = _read(file, given, example)
    found = Explained(
        compiled.source.name, about, compiled, np.pad(inputs, ((0, rows - len(inputs)), (0, 0)))
    )
    if form is None or form.layout == "wide":
        return found
    return replace(
        found,
        meanings=MEANINGS,
        input_names=_row_by_row(form.inputs, width),
        output_names=_row_by_row(form.outputs, width),
    )


def _read(file: StackFile, given: Path, example: int) -> tuple[Floats, str]:
    """(rows, channels) of one example, and what it is."""
    array: NDArray[Any] = read_npy(given)
    laid = laid_out(file, array)
    count = len(laid.batch)
    if example >= count:
        raise UserError(
            f"there is no example {example} in {given}; it holds "
            + ("one, example 0" if count == 1 else f"examples 0 to {count - 1:,}")
        )
    told = given.name
    whole = count // laid.parts
    if whole > 1:
        told = f"example {example % whole} of {told}"
    if laid.parts == 2:
        # Such a stack computes with real numbers, and is linear.
        imaginary = example >= whole
        told += ", its imaginary part" if imaginary else ", its real part"
        told += "" if imaginary else f"; the imaginary part is --example {example + whole}"
    inputs, rows = laid.batch[example], file.rows or 0
    if len(inputs) < rows:
        told += f", {counted(len(inputs), 'row')} and then rows of zeros"
    return inputs, f"Input: {told}."


def _random(form: CircuitForm | None, rows: int, width: int, seed: int) -> tuple[Floats, str]:
    """An input such as the stack takes, and what it is."""
    rng = np.random.default_rng(seed)
    if form is None:
        shape: tuple[int, int] = (rows, width)
    else:
        shape = (rows if form.layout == "wide" else 1, form.taken)
    bits = form is not None and form.bits
    drawn = rng.integers(0, 2, shape).astype(np.float64) if bits else rng.standard_normal(shape)
    inputs = drawn if form is None else form.input_array(drawn, rows, width)[0]
    count = f"{shape[0]} × {shape[1]}" if form is None or shape[0] > 1 else f"{shape[1]:,}"
    what = "random bits" if bits else "normal random numbers"
    if count == "1":
        what = what.removesuffix("s")
    return inputs, f"Input: {count} {what} of seed {seed}."


def _row_by_row(ports: tuple[Port, ...], width: int) -> Names:
    """The names of numbers that lie one after the other; "" for the zeros of the last row."""
    names = [name for port in ports for name in port.names()]
    names += [""] * (-len(names) % width)
    return tuple(tuple(names[i : i + width]) for i in range(0, len(names), width))
