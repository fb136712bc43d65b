"""`bestiary compile`: a transform, a matrix or a trained mixer as a stack of BaseConv layers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from bestiary.errors import UserError


def compile_(
    what: Annotated[
        str,
        typer.Argument(
            help="A transform (see --list), `matrix`, a mixer such as `hyena`, `model`."
        ),
    ] = "",
    source: Annotated[
        Path | None,
        typer.Argument(help="The file of a matrix (.npy, .npz, .mtx), the folder of a run."),
    ] = None,
    n: Annotated[int | None, typer.Option("--n", help="Size of a transform.")] = None,
    d: Annotated[int, typer.Option("--d", help="Numbers a row, n/d rows.")] = 1,
    length: Annotated[
        int | None, typer.Option(help="Positions to compile a mixer for; its longest unless given.")
    ] = None,
    layer: Annotated[
        int | None,
        typer.Option(help="Layer of the run, from 0; the first of its kind unless given."),
    ] = None,
    layout: Annotated[
        str, typer.Option(help="Of a mixer: channel, or time for d' = d.")
    ] = "channel",
    mode: Annotated[str, typer.Option(help="causal, or circular: rows in a ring.")] = "causal",
    method: Annotated[
        str, typer.Option(help="direct, groups, blocks, bits, paper; auto: the fewest numbers.")
    ] = "auto",
    radix: Annotated[int, typer.Option(help="Rows a level mixes: fewer layers, wider.")] = 2,
    optimize: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Search so long for the best schedule."),
    ] = None,
    dump_after: Annotated[
        str | None,
        typer.Option(metavar="PASS", help="Print it after simplify, retime, schedule or allocate."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write the stack.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the transforms.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Compile a transform, a matrix, a trained mixer or model to BaseConv layers, and check it.

    Exit code 0: done; 1: the matrix has no structure that is known; 2: the question was wrong.

    Example: bestiary compile dct --n 64 -o dct.safetensors
    """
    from bestiary.compile import PASSES
    from bestiary.compile.compiled_file import save_compiled
    from bestiary.runs.compilation import How, Mixer, NoStructure, requested, transforms

    if listed:
        for name, description in transforms():
            typer.echo(f"{name:<24}{description}")
        return 0
    if dump_after not in (None, *PASSES):
        raise UserError(f"there is no pass {dump_after!r}; passes are {', '.join(PASSES)}")
    if what == "model":
        return _model(source, output, layout, as_json)
    how = How(mode, method, radix, optimize)  # type: ignore[arg-type]
    try:
        work = requested(what, source, n, d, Mixer(layer, length, layout), how)
    except NoStructure as answer:
        typer.echo(str(answer))
        return 1
    if output is not None:
        save_compiled(output, work.compiled, {"origin": work.origin.to_dict()})
    if dump_after is not None:
        typer.echo(str(work.compiled.stages[dump_after]))
    elif as_json:
        typer.echo(json.dumps(work.as_json(), indent=2))
    else:
        typer.echo(str(work))
    if output is not None and not as_json:
        typer.echo(f"written: {output}")
    return 0


def _model(source: Path | None, output: Path | None, layout: str, as_json: bool) -> int:
    from bestiary.runs.compilation import of_model

    if source is None:
        raise UserError(
            "the folder of the run was not given; add it, as `bestiary runs` lists them"
        )
    if output is not None:
        raise UserError(
            "a whole model has no file of its own; compile its mixers one by one with -o"
        )
    work = of_model(source, layout)
    typer.echo(json.dumps(work.as_json(), indent=2) if as_json else str(work))
    return 0
