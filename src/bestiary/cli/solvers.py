"""`bestiary solvers`: the models with hand-set weights, their options and how large they are."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bestiary.cli.console import Terminal
from bestiary.errors import UserError

if TYPE_CHECKING:
    from bestiary.tasks.protocol import Task

SHOWN = "mqar,vocab_size=64,length=64,pairs=4"


@dataclass(frozen=True)
class Entry:
    """One solver with its default options, as large as a task makes it.

    refused: why it does not take the task, "" where it does; the numbers are None then.
    """

    name: str
    path: str
    about: str
    options: Mapping[str, Any]
    layers: int | None = None
    width: int | None = None
    rows: int | None = None
    state_size: int | None = None
    parameters: int | None = None
    refused: str = ""


def solvers(
    task: Annotated[
        str, typer.Option(metavar="NAME,OPTION=VALUE", help="The task that they are made for.")
    ] = SHOWN,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the models with hand-set weights that `bestiary recall --model compiled:NAME` scores.

    Example: bestiary solvers --task induction,length=128
    """
    from bestiary.runs.named_task import read_task
    from bestiary.solvers.registry import SOLVERS

    made = read_task(task)
    entries = []
    with Console(stderr=True).status("building") as status:
        for name in SOLVERS:
            status.update(f"building {name}")
            entries.append(_entry(name, made))
    if as_json:
        typer.echo(json.dumps([asdict(entry) for entry in entries], indent=2))
        return
    console = Terminal()
    console.show(_table(entries))
    refused = [entry.name for entry in entries if entry.refused]
    if refused:
        console.tell(f"not for this task: {', '.join(refused)} (--json says why)")
    console.tell(f"sizes: {task}; state after its longest example; null: not set")


def _entry(name: str, task: Task) -> Entry:
    from bestiary.solvers.registry import (
        SOLVERS,
        SolverSpec,
        build_solver,
        solver_class,
        solver_defaults,
    )

    about = (inspect.getdoc(solver_class(name)) or "").partition("\n")[0]
    about = about.removeprefix("The solver: ").rstrip(".").replace("``", "")
    options = solver_defaults(name)
    try:
        solver = build_solver(SolverSpec(name), task)
    except UserError as error:
        return Entry(name, SOLVERS[name], about, options, refused=str(error))
    model = solver.build()
    size = model.size
    state = model.state_size(task.max_length)
    return Entry(
        name, SOLVERS[name], about, options, size.layers, size.width, size.rows, state,
        size.parameters,
    )  # fmt: skip


def _table(entries: list[Entry]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("solver", no_wrap=True)
    for column in ("layers", "width", "state", "parameters"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("what it is, and its options", overflow="fold")
    for entry in entries:
        sizes = (entry.layers, entry.width, entry.state_size, entry.parameters)
        options = "  ".join(f"{k}={'null' if v is None else v}" for k, v in entry.options.items())
        table.add_row(
            Text(entry.name, "bold"),
            *(Text("–" if size is None else f"{size:,}") for size in sizes),
            Text(f"{entry.about}; {options}" if options else entry.about),
        )
    return table
