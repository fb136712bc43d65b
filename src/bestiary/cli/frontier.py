"""`bestiary frontier`: the ways to compile a circuit, layers against channels."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from bestiary.cli.console import Terminal
from bestiary.cli.table_form import check_one_form, check_plot


def frontier(
    circuit: Annotated[
        str,
        typer.Argument(metavar="CIRCUIT", help="A library name, a file, or module:function."),
    ],
    n: Annotated[int | None, typer.Option(help="Size of a circuit of the library.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write the plot, .png or .svg.")] = None,
    as_latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compile a circuit in every way and count layers, channels, rows and weights.

    A star marks the ways that no other beats in layers, channels and rows, `auto` the one of the
    fewest layers, then weights; `at most` is what each is held to, and the floor ⌈log2 degree⌉
    (none for linear circuits).

    Example: bestiary frontier horner --n 8
    """
    check_one_form({"--latex": as_latex, "--json": as_json})
    check_plot(plot)
    from bestiary.runs.circuit_source import named_circuit

    named = named_circuit(circuit, n)
    made = named.real
    # Mistakes are told before these, which load torch.
    from bestiary.compile.from_circuit.frontier import floor_of
    from bestiary.compile.from_circuit.frontier import frontier as ways_of
    from bestiary.report.frontier_report import chart, latex, text_lines
    from bestiary.report.write import write_plot

    with Console(stderr=True).status("compiling") as status:
        ways = ways_of(made, lambda name: status.update(f"compiling {name}"))
    floor = floor_of(made)
    if plot is not None:
        write_plot(plot, chart(ways, named.title, floor))
    if as_json:
        found = {"circuit": str(made), "floor": floor, "ways": [asdict(way) for way in ways]}
        typer.echo(json.dumps(found, indent=2))
    elif as_latex:
        typer.echo(latex(ways), nl=False)
    else:
        Terminal().tell(f"{made}; floor {'–' if floor is None else floor}")
        for line in text_lines(ways):
            typer.echo(line)
        if plot is not None:
            typer.echo(f"written: {plot}")
