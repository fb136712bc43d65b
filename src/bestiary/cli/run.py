"""`bestiary run`: the output of a compiled stack on an array in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bestiary.cli.written import NUMPY, check_written
from bestiary.errors import UserError
from bestiary.file_kind import ARRAY, STACK, kind_of, refuse_other_than_stacks


def run_(
    file: Annotated[Path, typer.Argument(help="A file that `bestiary compile` wrote.")],
    given: Annotated[
        Path,
        typer.Argument(
            metavar="INPUT", help="A .npy file: (rows, channels), or a batch.", exists=True
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write the result, as .npy.")
    ] = None,
    dtype: Annotated[str, typer.Option(help="float64 or float32.")] = "float64",
) -> None:
    """Run a compiled stack on an array.

    A vector is taken row by row, and comes back as a vector. What is complex, the input or the
    matrix, gives a complex result. A causal mixer takes shorter sequences too. Every number that
    goes in or comes out must be finite.

    Example: bestiary run dct.safetensors x.npy -o y.npy
    """
    check_written(output, NUMPY, stack=file, input=given)
    if kind_of(file) == ARRAY and kind_of(given) == STACK:
        raise UserError(f"the stack comes first: bestiary run {given} {file}")
    refuse_other_than_stacks(file)
    # Mistakes are told before these, which load torch.
    import numpy as np

    from bestiary.compile.array_run import run_array
    from bestiary.mixers.stack_file import read_stack_file
    from bestiary.structured.array_file import read_npy

    array = read_npy(given)
    found = run_array(read_stack_file(file), array, dtype)
    if output is None:
        typer.echo(np.array2string(found, threshold=200, precision=6))
        return
    with output.open("wb") as stream:
        np.save(stream, found)
    typer.echo(f"written: {output} {found.shape} {found.dtype}")
