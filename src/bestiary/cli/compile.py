"""`bestiary compile`: a transform, matrix, circuit or trained mixer as BaseConv layers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bestiary.cli.given import options_given
from bestiary.cli.written import STACK, check_written
from bestiary.errors import UserError

if TYPE_CHECKING:
    from bestiary.runs.circuit_source import NamedCircuit


def compile_(
    context: typer.Context,
    what: Annotated[
        str,
        typer.Argument(
            help="A transform (see --list), `matrix`, `circuit`, a mixer such as `hyena`, `model`."
        ),
    ] = "",
    source: Annotated[
        Path | None,
        typer.Argument(
            help="The file of a matrix (.npy, .npz, .mtx); a circuit: a name of bestiary library, "
            "a file, or module:function; the folder or id of a run."
        ),
    ] = None,
    within: Annotated[
        Path, typer.Option("--in", help="Where to look for a run that is given by its id.")
    ] = Path("results"),
    n: Annotated[
        int | None,
        typer.Option("--n", help="Size of a transform, or of a circuit of the library: 8 there."),
    ] = None,
    d: Annotated[
        int,
        typer.Option("--d", help="Numbers a row of a transform, matrix or narrow circuit."),
    ] = 1,
    length: Annotated[
        int | None, typer.Option(help="Positions to compile a mixer for; its longest unless given.")
    ] = None,
    layer: Annotated[
        int | None,
        typer.Option(help="Layer of the run, from 0; the first of its kind unless given."),
    ] = None,
    layout: Annotated[
        str | None,
        typer.Option(
            help="Of a mixer or model: channel, the default, or time for d' = d. Of a circuit: "
            "wide, the default, in the channels of a row; narrow, row by row; auto, the cheapest."
        ),
    ] = None,
    rows: Annotated[
        int, typer.Option(help="Rows of a wide circuit; each is computed by itself.")
    ] = 1,
    channels: Annotated[
        int | None,
        typer.Option(help="Of a wide circuit at most; fewer take more layers."),
    ] = None,
    balance: Annotated[
        bool, typer.Option("--balance", help="Make long chains of a circuit shallow first.")
    ] = False,
    parallel: Annotated[
        bool, typer.Option("--parallel", help="Rearrange a circuit by degree first.")
    ] = False,
    expand: Annotated[
        float | None,
        typer.Option(
            metavar="FACTOR",
            help="Multiply out sums of a wide circuit, in up to so many times the channels, for "
            "fewer layers.",
        ),
    ] = None,
    bits: Annotated[
        bool,
        typer.Option(
            "--bits", help="A circuit takes 0 and 1 alone, and is compared on those; known of some."
        ),
    ] = False,
    mode: Annotated[
        str,
        typer.Option(
            help="Of a transform, matrix or narrow circuit: causal, or circular: rows in a ring."
        ),
    ] = "causal",
    method: Annotated[
        str,
        typer.Option(
            help="Of a transform or matrix: direct, groups, blocks, bits, paper; auto: the fewest "
            "numbers."
        ),
    ] = "auto",
    tolerance: Annotated[
        float | None,
        typer.Option(
            help="Of the matrix in a file: how far, relative to it, a structure may be; 1e-10 "
            "unless given, 1e-5 for single precision."
        ),
    ] = None,
    radix: Annotated[
        int,
        typer.Option(help="Rows a level mixes: fewer layers, wider; not for direct and paper."),
    ] = 2,
    optimize: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Search so long for the best schedule of a transform, matrix or wide circuit; not "
            "for paper.",
        ),
    ] = None,
    dump_after: Annotated[
        str | None,
        typer.Option(
            metavar="PASS",
            help="Print the program after simplify, retime, schedule or allocate in place of the "
            "report; with --json both, as JSON.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write the stack, as .safetensors."),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the transforms.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Compile a transform, matrix, circuit, trained mixer or model, and check it.

    An option that would change nothing is refused. Exit code 0: done; 1: the matrix has no
    structure that is known; 2: the question was wrong.

    Example: bestiary compile dct --n 64 -o dct.safetensors

    Example: bestiary compile circuit determinant --n 4 -o determinant.safetensors
    """
    from bestiary.runs.asked import check_counts

    given = options_given(context)
    if listed:
        _list([what, *([] if source is None else [str(source)]), *given], as_json)
        return 0
    # Before torch is loaded, so that a wrong number, name or file is told at once.
    check_counts({"--d": d, "--rows": rows, "--channels": channels, "--length": length})
    check_counts({"--layer": layer}, 0)
    named = _named(what, source, n, output)

    from bestiary.compile import PASSES
    from bestiary.compile.compiled_file import save_compiled
    from bestiary.runs.circuit_compilation import CircuitHow, of_circuit
    from bestiary.runs.compilation import How, Mixer, ModelWork, NoStructure, requested
    from bestiary.runs.compile_options import check_options, subject_of
    from bestiary.runs.trained_model import named_run
    from bestiary.runs.work import Work

    if dump_after not in (None, *PASSES):
        raise UserError(f"there is no pass {dump_after!r}; passes are {', '.join(PASSES)}")
    work: Work | ModelWork
    if named is not None:
        check_options(given, "circuit")
        of = CircuitHow(
            "wide" if layout is None else layout,
            rows,
            channels,
            d,
            mode,  # type: ignore[arg-type]
            radix,
            balance,
            parallel,
            expand,
            optimize,
            bits,
        )
        work = of_circuit(named, of, given)
    else:
        if source is not None and subject_of(what, source) in ("mixer", "model"):
            source = named_run(source, within)
        how = How(mode, method, radix, optimize, tolerance)  # type: ignore[arg-type]
        try:
            work = requested(what, source, n, d, Mixer(layer, length, layout), how, given)
        except NoStructure as answer:
            typer.echo(str(answer))
            return 1
    told, text = work.as_json(), str(work)
    if isinstance(work, Work):
        if output is not None:
            save_compiled(output, work.compiled, {"origin": work.origin.to_dict()})
        if dump_after is not None:
            text = str(work.compiled.stages[dump_after])
            told["dump"] = {dump_after: text}
    typer.echo(json.dumps(told, indent=2) if as_json else text)
    if output is not None and not as_json:
        typer.echo(f"written: {output}")
    return 0


def _named(
    what: str, source: Path | None, n: int | None, output: Path | None
) -> NamedCircuit | None:
    """The circuit where one is asked for. ``UserError`` for what needs no torch to be told."""
    from bestiary.runs.asked import check_named
    from bestiary.runs.circuit_source import asked_circuit

    check_named(what, source)
    named = asked_circuit(source, n) if what == "circuit" else None
    # The model of a run is written nowhere, which is told with the other options.
    if what != "model":
        check_written(output, STACK, source=source if named is None else named.path)
    return named


def _list(given: list[str], as_json: bool) -> None:
    """The transforms. ``UserError`` where anything was given besides."""
    from bestiary.runs.compilation import transforms

    besides = [word for word in given if word not in ("", "--list", "--json")]
    if besides:
        raise UserError(
            f"--list shows all transforms and takes nothing but --json besides; {besides[0]} was "
            "given"
        )
    if as_json:
        told = [{"name": name, "description": said} for name, said in transforms()]
        typer.echo(json.dumps(told, indent=2))
        return
    for name, description in transforms():
        typer.echo(f"{name:<24}{description}")
