"""`bestiary inspect`: the layers of a compiled stack, and a picture of what each reads."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bestiary.cli.console import Terminal
from bestiary.cli.written import DRAWING, PAGE, check_written
from bestiary.errors import UserError, counted
from bestiary.file_kind import refuse_other_than_stacks

if TYPE_CHECKING:
    from bestiary.compile.layout import Layout, Place
    from bestiary.compile.report import Report

NAMES_SHOWN, NAMES_LEAST = 6, 24
"""Names a layer, and columns they get at least; the page shows all of them."""


def inspect(
    file: Annotated[
        Path, typer.Argument(help="A file that `bestiary compile` wrote.", exists=True)
    ],
    html: Annotated[Path | None, typer.Option(help="Write a page with the picture, .html.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Write the picture, .svg.")] = None,
    program: Annotated[bool, typer.Option("--program", help="Print the program too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the layers of a compiled stack: what lies in each channel, and how it came there.

    Example: bestiary inspect dct.safetensors --html dct.html
    """
    refuse_other_than_stacks(file)
    check_written(html, PAGE, "--html", stack=file)
    check_written(svg, DRAWING, "--svg", stack=file, page=html)
    from bestiary.compile.compiled_file import load_compiled
    from bestiary.compile.layout import layout
    from bestiary.compile.report import measure
    from bestiary.report.layout_page import layout_page
    from bestiary.report.layout_picture import picture

    compiled = load_compiled(file)
    rows = compiled.stack.inner_length
    if rows is None:
        raise UserError(f"{file} holds a stack without a fixed number of rows; it has no picture")
    found = layout(compiled.placed, compiled.stack.width, rows)
    report = measure(compiled)
    if html is not None:
        html.write_text(layout_page(found, _facts(report), _title(report)), encoding="utf-8")
    if svg is not None:
        svg.write_text(str(picture(found).svg), encoding="utf-8")
    if as_json:
        told: dict[str, Any] = {"report": report.as_json(), "layout": found.to_dict()}
        if program:
            told["program"] = str(compiled.source)
        typer.echo(json.dumps(told, indent=2))
        return
    console = Terminal()
    console.tell(str(report), 4)
    typer.echo("\n".join(_lines(found, console.text_width)))
    if html is None and any(len(_names(places)) > NAMES_SHOWN for places in found.layers):
        console.tell("--html PAGE writes all names, with what each is made from")
    if program:
        typer.echo(str(compiled.source))
    for path in (html, svg):
        if path is not None:
            console.print(f"written: {path}", soft_wrap=True)


def _title(report: Report) -> str:
    return f"{report.name}: {report.rows} × {report.inputs}"


def _facts(report: Report) -> list[tuple[str, str]]:
    p = report.parameters
    return [
        ("layers L", str(report.layers)),
        ("rows N, internal N'", f"{report.rows}, {report.inner_rows}"),
        ("channels d, internal d'", f"{report.inputs}, {report.width}"),
        ("mode, delay", f"{report.mode}, {counted(report.delay, 'row')}"),
        ("floor", "–" if report.floor is None else f"{report.floor} (degree {report.degree})"),
        ("parameters", f"{p.dense:,} dense, {p.nonzero:,} not 0, {p.stored:,} stored"),
    ]


HEADS, HEADS_OF_NAMES = ("layer", "channels", "delay", "made as"), "new values, channel:name"


def _lines(found: Layout, width: int) -> list[str]:
    """A line a layer, with more below it where its names take them; no name is cut in its end."""
    from bestiary.text_table import aligned

    heads = aligned([HEADS, *(_row(*layer) for layer in enumerate(found.layers))], left=(3, 4))
    names = [[HEADS_OF_NAMES], *(_names(places) for places in found.layers)]
    indent = max(map(len, heads)) + 2
    lines = []
    for head, words in zip(heads, names, strict=True):
        first, *more = _broken(words, max(width - indent, NAMES_LEAST)) or [""]
        lines.append(f"{head:<{indent}}{first}".rstrip())
        lines += [" " * indent + line for line in more]
    return lines


def _row(number: int, places: Sequence[Place]) -> tuple[str, str, str, str]:
    roles = Counter(place.role for place in places)
    delays = sorted({place.delay for place in places})
    # A program may have no inputs at all.
    delay = f"{delays[0]}–{delays[-1]}" if len(delays) > 1 else "".join(map(str, delays)) or "–"
    return (
        str(number) if number else "input",
        str(len(places)),
        delay,
        ", ".join(f"{count} {role}" for role, count in roles.items()),
    )


def _names(places: Sequence[Place]) -> list[str]:
    names = [f"{place.channel}:{place.name}" for place in places if place.role != "carried"]
    if len(names) <= NAMES_SHOWN:
        return names
    return [*names[:NAMES_SHOWN], f"and {len(names) - NAMES_SHOWN} more"]


def _broken(words: Sequence[str], width: int) -> list[str]:
    """Lines of words two spaces apart; a word that is longer than a line loses its middle."""
    lines: list[str] = []
    for word in words:
        if len(word) > width:
            word = f"{word[: width // 2]}…{word[-(width - width // 2 - 1) :]}"
        if lines and len(lines[-1]) + 2 + len(word) <= width:
            lines[-1] += f"  {word}"
        else:
            lines.append(word)
    return lines
