"""Compiled programs as files: the stack, and beside it what names and checks its values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bestiary.compile.allocate import channel_of
from bestiary.compile.cell import Cell
from bestiary.compile.compiling import Compiled
from bestiary.compile.emit import layers_of
from bestiary.compile.program import Program
from bestiary.compile.program_file import pack, unpack
from bestiary.errors import UserError
from bestiary.mixers.stack_file import (
    ChannelName,
    StackFile,
    names_of,
    read_stack_file,
    save_stack,
)


def save_compiled(
    path: str | Path,
    compiled: Compiled,
    about: dict[str, Any] | None = None,
    *,
    programs: bool = True,
) -> None:
    """Write the stack with the names of its channels, and its program unless told otherwise.

    about: anything that can be written as JSON, such as which matrix this is. programs: the program
    as it was written and as it was placed, which ``verify`` needs to name a value that is wrong.
    """
    source = compiled.source
    stored = {"source": source, "placed": compiled.placed} if programs else {}
    save_stack(
        path,
        StackFile(
            compiled.stack,
            rows=source.rows,
            inputs=source.width,
            names=channel_names(compiled.placed),
            about=about or {},
            documents={name: pack(program) for name, program in stored.items()},
        ),
    )


def load_compiled(path: str | Path) -> Compiled:
    """The stack of a file with its programs. ``UserError`` for a file that has no programs."""
    return compiled_of(read_stack_file(path), str(path))


def compiled_of(file: StackFile, where: str = "this file") -> Compiled:
    """The same out of a file that has been read; of all passes only the last is kept in one."""
    if not {"source", "placed"} <= set(file.documents):
        raise UserError(
            f"{where} holds a stack without its program; save it with its program to have its "
            "values named"
        )
    source = unpack(file.documents["source"], f"the program in {where}")
    placed = unpack(file.documents["placed"], f"the placed program in {where}")
    _check_places(placed, file, where)
    return Compiled(source, {"allocate": placed}, file.stack)


def _check_places(placed: Program, file: StackFile, where: str) -> None:
    """``UserError`` where a value of the program has no place in the stack."""
    layers, width = len(file.stack.layers), file.stack.width
    for cell in placed:
        if not isinstance(cell, Cell):
            continue
        layer, channel = cell.layer, cell.channel
        in_layer = isinstance(layer, int) and 0 < layer <= layers
        if not (in_layer and isinstance(channel, int) and 0 <= channel < width):
            raise UserError(
                f"the placed program in {where} has {cell.name or 'a value'!r} in layer {layer} "
                f"and channel {channel} of a stack of {layers} layers of {width} channels; the "
                "file is damaged"
            )


def channel_names(placed: Program) -> tuple[tuple[ChannelName, ...], ...]:
    """What lies where after each layer of an allocated program, the input first."""
    given: dict[int, tuple[str, int]] = {}
    for value in placed.inputs:
        first = placed.offset(value)
        given |= {first + i: (name, 0) for i, name in enumerate(value.channel_names())}
    layers = [
        {channel_of(placed, cell): (cell.name, cell.delay or 0) for cell in cells}
        for cells in layers_of(placed)
    ]
    return names_of([given, *layers])
