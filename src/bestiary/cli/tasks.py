"""`bestiary tasks`: the tasks that come with Bestiary, and the options of each."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, is_dataclass
from typing import Annotated, Any

import typer
from rich.text import Text

from bestiary.cli.console import Terminal
from bestiary.tasks.registry import TASKS, task_class


@dataclass(frozen=True)
class Entry:
    """One task with the defaults of its options."""

    name: str
    path: str
    about: str
    options: Mapping[str, Any]


def tasks(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the tasks, and their options with defaults, as a config file would say them.

    Example: bestiary tasks
    """
    entries = [_entry(name) for name in TASKS]
    if as_json:
        typer.echo(json.dumps([asdict(entry) for entry in entries], indent=2))
        return
    console = Terminal()
    for entry in entries:
        console.tell(Text.assemble((entry.name, "bold"), f" {entry.about}"))
        for option, default in entry.options.items():
            console.tell(f"  {option}: {_yaml(default)}", 4)


def _entry(name: str) -> Entry:
    cls = task_class(name)
    parameters = inspect.signature(cls).parameters.values()
    return Entry(
        name=name,
        path=TASKS[name],
        about=(inspect.getdoc(cls) or "").partition("\n")[0],
        options={p.name: None if p.default is p.empty else _plain(p.default) for p in parameters},
    )


def _plain(default: Any) -> Any:
    """A default as plain values, fields that are not set left out."""
    if isinstance(default, tuple):
        return [_plain(one) for one in default]
    if is_dataclass(default) and not isinstance(default, type):
        return {name: value for name, value in asdict(default).items() if value is not None}
    return default


def _yaml(value: Any) -> str:
    """A plain value in YAML's one-line form."""
    if isinstance(value, list):
        return f"[{', '.join(_yaml(one) for one in value)}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {_yaml(one)}" for name, one in value.items()) + "}"
    return value if isinstance(value, str) else json.dumps(value)
