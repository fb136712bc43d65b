"""What `bestiary data` prints of a task: examples laid out to be read, facts, duplicates."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer
from rich.table import Table
from rich.text import Text

from bestiary.cli.console import Terminal
from bestiary.tasks.block_task import BlockTask
from bestiary.tasks.duplicates import Duplicates, count_duplicates
from bestiary.tasks.export import write
from bestiary.tasks.facts import Facts
from bestiary.tasks.protocol import SPLITS, Batch, Split
from bestiary.tasks.roles import Token
from bestiary.tasks.segments import setting_text

STYLES = {
    "key": "bold cyan",
    "trigger": "bold cyan",
    "data": "bold green",
    "value": "bold green",
    "answer": "bold green",
    "query": "bold magenta",
    "marker": "bold magenta",
    "filler": "dim",
}
HEADS = ("role  ", "token ", "label ")
PER_EXAMPLE = ("filler_keys_per_example", "unasked")
MEANINGS = {
    "labels_least": "labels of an example, least",
    "labels_most": "labels of an example, most",
    "filler_keys": "filler that is a key of its example",
    "filler_keys_per_example": "… tokens per example",
    "examples_with_filler_keys": "… examples with any",
    "shadowed": "queries with their key in filler before",
    "solver": "solver that reads the context",
    "latest": "solver that takes the latest occurrence",
    "unasked": "lookalike queries per example",
}
WHY_DUPLICATES = (
    "Splits come from separate random streams, so what they share is chance. A small vocabulary "
    "makes duplicates certain; a larger one or {more} make them vanish, and "
    "--drop-duplicates leaves out validation and test examples that an earlier split has."
)
SHOWN = 3


def show(
    task: BlockTask,
    split: Split,
    examples: int | None,
    duplicates: bool,
    out: Path | None,
    as_json: bool,
    facts: Sequence[Facts] | None = None,
) -> None:
    """Write the split to ``out``, print what was measured, or else the first ``examples``.

    facts: what was measured of the split already, None where nobody asked.
    """
    if out is not None:
        count = write(task, split, out)
        typer.echo(f"{out}: {count:,} {split} examples", err=as_json)
    measured: dict[str, Sequence[Facts | Duplicates]] = {}
    if facts is not None:
        measured["stats"] = facts
    if duplicates:
        measured["duplicates"] = count_duplicates(task)
    if measured:
        _print_measured(task, measured, as_json)
    elif out is None:
        _print_examples(task, split, SHOWN if examples is None else examples, as_json)


def _print_examples(task: BlockTask, split: Split, most: int, as_json: bool) -> None:
    """The first ``most`` examples of each segment."""
    stream = task.stream(split)
    batches = [
        stream.examples(number, range(min(segment.examples, most)))
        for number, segment in enumerate(stream.segments)
    ]
    if as_json:
        _print_json([_plain(batch, row) for batch in batches for row in range(len(batch))])
        return
    console = Terminal()
    for batch in batches:
        for row in range(len(batch)):
            head = f"{split} {row}: {_setting(task, batch, row)}"
            console.print(_picture(task.roles(batch, row), head, console.width))


def _plain(batch: Batch, row: int) -> dict[str, Any]:
    arrays = {"tokens": batch.tokens, "labels": batch.labels, **batch.info}
    return {name: array[row].tolist() for name, array in arrays.items()}


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value))


def _setting(task: BlockTask, batch: Batch, row: int) -> str:
    """``length 64, 4 pairs``."""
    thing = task.segment_kind.thing
    number = int(batch.info[f"{thing}s"][row]) if thing else None
    return setting_text(batch.tokens.shape[1], number, thing)


def _picture(tokens: Sequence[Token], head: str, width: int) -> Text:
    """An example in lines of marks, tokens and labels that fit ``width``."""
    column = 1 + max(len(text) for token in tokens for text in (token.mark, str(token.token)))
    per_line = max(1, (width - len(HEADS[0])) // column)
    picture = Text(f"{head}\n", style="bold")
    for start in range(0, len(tokens), per_line):
        part = tokens[start : start + per_line]
        for name, cell in zip(HEADS, (_mark, _token, _label), strict=True):
            texts = [cell(token) for token in part]
            if not any(texts):
                continue
            picture.append(name, style="not bold dim")
            for token, text in zip(part, texts, strict=True):
                picture.append(text.rjust(column), style=f"not bold {STYLES[token.role]}")
            picture.append("\n")
    return picture


def _mark(token: Token) -> str:
    return token.mark


def _token(token: Token) -> str:
    return str(token.token)


def _label(token: Token) -> str:
    return "" if token.label is None else str(token.label)


def _print_measured(
    task: BlockTask, measured: Mapping[str, Sequence[Facts | Duplicates]], as_json: bool
) -> None:
    if as_json:
        _print_json({name: [asdict(row) for row in rows] for name, rows in measured.items()})
        return
    console = Terminal()
    if "stats" in measured:
        console.show(_stats_table(measured["stats"]))
    if "duplicates" in measured:
        console.show(_duplicates_table(measured["duplicates"], task.segment_kind.thing))
        console.print(_chance(task))


def _stats_table(rows: Sequence[Facts | Duplicates]) -> Table:
    """One fact a line, one segment a column: facts have long names."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(overflow="fold")
    columns = [asdict(row) for row in rows]
    for _ in columns:
        table.add_column(justify="right", no_wrap=True)
    for name in columns[0]:
        cells = (_cell(name, column[name]) for column in columns)
        table.add_row(MEANINGS.get(name, name), *cells)
    return table


def _duplicates_table(rows: Sequence[Facts | Duplicates], thing: str) -> Table:
    """One segment of one split a line. thing: what an example has a number of, "" for none."""
    table = Table(box=None, pad_edge=False)
    names = [name for name in asdict(rows[0]) if thing or name != "pairs"]
    for name in names:
        title = f"{thing}s" if name == "pairs" else name.replace("_", " ")
        table.add_column(title, justify="left" if name == "split" else "right")
    for row in rows:
        values = asdict(row)
        table.add_row(*(_cell(name, values[name]) for name in names))
    return table


def _cell(name: str, value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3f}" if name in PER_EXAMPLE else f"{value:.3%}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _chance(task: BlockTask) -> Text:
    """Why there are duplicates, or none: how many sequences there are to draw from."""
    lines = []
    for segment in task.segments:
        drawn = sum(segment.examples(split) for split in SPLITS)
        possible = task.log10_sequences(segment)
        # Equal chances make equal pairs rarest, so there are at least this many to expect.
        equal = drawn * (drawn - 1) / 2 * 10.0**-possible
        expected = f"at least {equal:,.0f} equal pairs" if equal > 0.5 else "hardly an equal pair"
        named = f"{segment}".capitalize()
        lines.append(
            f"{named}: at most 10^{possible:.1f} sequences, {drawn:,} drawn, {expected} to be "
            "expected."
        )
    more = "random filler" if hasattr(task, "filler") else "longer examples"
    return Text("\n".join([*lines, WHY_DUPLICATES.format(more=more)]))
