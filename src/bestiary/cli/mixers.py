"""`bestiary mixers`: the mixers that come with Bestiary, their options and what they carry."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.table import Table
from rich.text import Text

from bestiary.cli.console import Terminal
from bestiary.errors import UserError

if TYPE_CHECKING:
    from bestiary.mixers.protocol import Mixer


@dataclass(frozen=True)
class Entry:
    """One mixer with its default options at one width and length."""

    name: str
    path: str
    about: str
    options: Mapping[str, Any]
    recurrent: bool
    state_size: int
    parameters: int


def mixers(
    d_model: Annotated[int, typer.Option(help="Width.")] = 64,
    length: Annotated[int, typer.Option(help="Positions after which the state is counted.")] = 64,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the mixers, their options with defaults, and the elements of state they carry.

    Example: bestiary mixers --d-model 128 --length 512
    """
    from bestiary.mixers.registry import MIXERS

    if d_model < 1 or length < 1:
        raise UserError(f"--d-model is {d_model} and --length {length}; both must be at least 1")
    entries = [_entry(name, d_model, length) for name in MIXERS]
    if as_json:
        typer.echo(json.dumps([asdict(entry) for entry in entries], indent=2))
        return
    console = Terminal()
    console.show(_table(entries))
    console.print(
        Text(f"state and parameters: one layer at d_model {d_model} after {length} positions"),
        soft_wrap=True,
    )


def _entry(name: str, d_model: int, length: int) -> Entry:
    from bestiary.mixers.protocol import RecurrentMixer
    from bestiary.mixers.registry import MIXERS, MixerSpec, build_mixer, mixer_class

    cls = mixer_class(name)
    made = build_mixer(MixerSpec(name), d_model, length)
    parameters = list(inspect.signature(cls).parameters.values())
    # max_length is filled in by whoever builds the model, so its default says nothing.
    options = {p.name: p.default for p in parameters[1:] if p.name != "max_length"}
    return Entry(
        name=name,
        path=MIXERS[name],
        about=(inspect.getdoc(cls) or "").partition("\n")[0],
        options=options,
        recurrent=isinstance(made, RecurrentMixer),
        state_size=cast("Mixer", made).state_size(length),
        parameters=sum(p.numel() for p in made.parameters()),
    )


def _table(entries: list[Entry]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("mixer", no_wrap=True)
    table.add_column("state", justify="right", no_wrap=True)
    table.add_column("parameters", justify="right", no_wrap=True)
    table.add_column("recurrent", no_wrap=True)
    table.add_column("options and defaults", overflow="fold")
    for entry in entries:
        options = (f"{k}={v}" for k, v in entry.options.items())
        table.add_row(
            Text(entry.name, "bold"),
            Text(f"{entry.state_size:,}"),
            Text(f"{entry.parameters:,}"),
            Text("yes" if entry.recurrent else "no"),
            Text("  ".join(options)),
        )
    return table
