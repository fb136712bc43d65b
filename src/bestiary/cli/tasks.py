"""`bestiary tasks`: the tasks there are, and the options of each."""

from __future__ import annotations

import inspect
import json
from typing import Annotated, Any

import typer
from rich.console import Console

from bestiary.tasks.registry import TASKS, task_class


def tasks(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the tasks, and the options of each with their defaults."""
    listed = {name: _describe(task_class(name)) for name in TASKS}
    if as_json:
        typer.echo(json.dumps(listed, indent=2, default=str))
        return
    console = Console(highlight=False)
    for name, about in listed.items():
        console.print(f"[bold]{name}[/]  {about['about']}")
        for option, default in about["options"].items():
            console.print(f"  {option} = {default}", markup=False, soft_wrap=True)
    console.print("Any class of your own works too: [bold]package.module:Class[/]")


def _describe(task: type) -> dict[str, Any]:
    parameters = inspect.signature(task).parameters.values()
    return {
        "about": (inspect.getdoc(task) or "").partition("\n")[0],
        "class": f"{task.__module__}:{task.__qualname__}",
        "options": {p.name: "required" if p.default is p.empty else p.default for p in parameters},
    }
