"""`bestiary check`: hold a mixer, ours or yours, to the laws every mixer must obey."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from bestiary.cli.console import Terminal

if TYPE_CHECKING:
    from bestiary.mixers.conformance import Report, Result

MARKS = {
    "passed": ("passed", "green"),
    "failed": ("FAILED", "bold red"),
    "not applicable": ("n/a", "dim"),
    "not run": ("not run", "yellow"),
}


def check(
    mixer: Annotated[str, typer.Argument(help="A name from `bestiary mixers`, or module:Class.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="OPTION=VALUE", help="An option of the mixer; repeatable."),
    ] = None,
    d_model: Annotated[int, typer.Option(help="Width.")] = 16,
    max_length: Annotated[int, typer.Option(help="Longest sequence tried.")] = 96,
    seed: Annotated[int, typer.Option(help="Seed of parameters and inputs.")] = 0,
    device: Annotated[str, typer.Option(help="cpu, cuda, cuda:1, …")] = "cpu",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Check that a mixer is causal, independent over rows, trainable, and what it says it is.

    Exit code 0: it conforms; 1: it doesn't; 2: there is no such mixer or option.

    Example: bestiary check sliding_window --set window=4
    """
    from bestiary.mixers.conformance import check as check_mixer
    from bestiary.runs.request import parse_override

    options = dict(parse_override(setting) for setting in settings or ())
    console, errors = Terminal(), Terminal(stderr=True)
    with errors.status("checking") as status:

        def show(result: Result) -> None:
            status.update(f"{result.name}: {result.status}")

        report = check_mixer(
            mixer,
            options,
            d_model=d_model,
            max_length=max_length,
            seed=seed,
            device=device,
            watch=show,
        )
    if as_json:
        typer.echo(json.dumps(report.to_dict(), indent=2, default=str))
    else:
        console.show(_table(report))
        console.print(Text(_verdict(report)), soft_wrap=True)
    return 0 if report.ok else 1


def _table(report: Report) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("check", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("what is asked, or what is wrong", overflow="fold")
    table.add_column("seconds", justify="right", no_wrap=True)
    for result in report.results:
        mark, style = MARKS[result.status]
        table.add_row(
            Text(result.name),
            Text(mark, style),
            Text(result.reason or result.law, style if result.status == "failed" else ""),
            Text(f"{result.seconds:.2f}"),
        )
    return table


def _verdict(report: Report) -> str:
    kind = "recurrent" if report.recurrent else "no recurrent form"
    said = ", ".join(f"{name}={value}" for name, value in report.options.items())
    what = report.mixer + (f" ({said})" if said else "")
    where = f"d_model {report.d_model}, lengths 1 to {report.max_length}, {kind}"
    if report.ok:
        return f"{what} conforms: {where}"
    failed = len(report.failures)
    return f"{what} does not conform: {failed} of {len(report.results)} checks failed; {where}"
