"""`bestiary library`: the circuits that come with Bestiary, and what each costs at one size."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from math import log2
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from bestiary.cli.console import Terminal
from bestiary.text_table import aligned

if TYPE_CHECKING:
    from bestiary.circuits.library.entry import LibraryCircuit
    from bestiary.circuits.library.listing import Row

LEGEND = (
    "D: multiplicative depth; floor: ⌈log2 degree⌉, which no D is below, a dash where nothing is "
    "multiplied"
)
HEADS = ("circuit", "n", "depth", "size", "products", "D", "floor", "width", "degree")
LARGEST_DEGREE = 10**6
"""From here on a degree is shown as a power of two."""


def library(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Show these in full, with their formulas."),
    ] = None,
    n: Annotated[int, typer.Option(help="Size; what it counts is said with each name.")] = 8,
    layers: Annotated[
        bool, typer.Option("--layers", help="Also layers and channels of the wide layout.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the circuits of the library: depth, size, multiplicative depth, width, degree.

    In the list of all, those made for smaller sizes alone are shown at their largest.

    Example: bestiary library sort-rank adder-lookahead --n 16
    """
    from bestiary.circuits.library.listing import rows
    from bestiary.circuits.library.registry import LIBRARY, library_circuit

    chosen = [library_circuit(name) for name in names] if names else list(LIBRARY.values())
    with Console(stderr=True).status("tracing") as status:
        found = list(rows(chosen, n, watch=status.update, smaller=not names))
        placed = _placed(found, status.update) if layers else None
    if as_json:
        sizes = [{}] * len(found) if placed is None else [_named(size) for size in placed]
        plain = [{**row.plain, **size} for row, size in zip(found, sizes, strict=True)]
        typer.echo(json.dumps(plain, indent=2))
        return
    console = Terminal()
    for row in _table(found, placed, described=not names):
        console.tell(row)
    for line in _at_their_largest(found, n):
        console.tell(line)
    console.tell(LEGEND)
    for circuit in chosen if names else ():
        _explain(console, circuit)
    if names:
        console.print()
        console.tell("≤: a bound, other formulas are exact")


def _placed(rows: Sequence[Row], watch: Callable[[str], object]) -> list[tuple[int, int]]:
    """Layers and channels of each."""
    from bestiary.compile.from_circuit import wide_size

    sizes = []
    for row in rows:
        watch(f"placing {row.circuit.name}")
        sizes.append(wide_size(row.circuit.make(row.n)))
    return sizes


def _named(size: tuple[int, int]) -> dict[str, int]:
    return {"layers": size[0], "channels": size[1]}


def _table(
    rows: Sequence[Row], placed: Sequence[tuple[int, int]] | None, described: bool
) -> list[Text]:
    """A line a circuit, with what it computes below where ``described``."""
    cells = [[*HEADS, *(("layers", "d'") if placed is not None else ())]]
    for i, row in enumerate(rows):
        costs = row.costs
        cells.append(
            [
                row.circuit.name,
                *(f"{value:,}" for value in (row.n, costs.depth, costs.size, costs.products)),
                f"{costs.multiplicative_depth:,}",
                "–" if costs.floor is None else f"{costs.floor:,}",
                f"{costs.width:,}",
                _degree(costs.degree),
                *(f"{number:,}" for number in (() if placed is None else placed[i])),
            ]
        )
    # One space between columns: so all of them fit on a terminal of 80.
    head, *lines = map(Text, aligned(cells, left=(0,), gap=1))
    head.stylize("bold")
    told = [head]
    for row, line in zip(rows, lines, strict=True):
        line.stylize("bold", 0, len(row.circuit.name))
        told += [line, Text(f"  {row.circuit.description}")] if described else [line]
    return told


def _at_their_largest(rows: Sequence[Row], n: int) -> list[str]:
    """Which circuits are not shown at size n, a line for each size that they have instead."""
    smaller: dict[int, list[str]] = {}
    for row in rows:
        if row.n < n:
            smaller.setdefault(row.n, []).append(row.circuit.name)
    return [
        f"{', '.join(names)}: n = {size:,}, the largest "
        f"{'it is' if len(names) == 1 else 'they are'} made for"
        for size, names in sorted(smaller.items())
    ]


def _degree(degree: int) -> str:
    return f"{degree:,}" if degree < LARGEST_DEGREE else f"~2^{round(log2(degree))}"


def _explain(console: Terminal, circuit: LibraryCircuit) -> None:
    """What one circuit is, and its formulas."""
    console.print()
    console.tell(Text.assemble((circuit.name, "bold"), f" {circuit.description}"))
    console.tell(f"  n: {circuit.n_is}, up to {circuit.most:,}", 4)
    for what, formula in circuit.formulas.items():
        console.tell(f"  {what.replace('_', ' ')}: {formula}", 4)
    for term in circuit.terms:
        console.tell(f"    {term}", 6)
    console.tell(f"  source: {circuit.source}", 4)
