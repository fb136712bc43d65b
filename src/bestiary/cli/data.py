"""`bestiary data`: look at a task's examples, measure them, write them to a file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from rich.table import Table
from rich.text import Text

from bestiary.cli.console import Terminal
from bestiary.errors import UserError
from bestiary.tasks.duplicates import Duplicates, count_duplicates
from bestiary.tasks.export import write
from bestiary.tasks.facts import Facts, log10_sequences, measure
from bestiary.tasks.mqar import MQAR, Filler
from bestiary.tasks.protocol import SPLITS, Batch, Split, as_split
from bestiary.tasks.roles import Token, roles
from bestiary.tasks.segments import Segment

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

STYLES = {"key": "bold cyan", "value": "bold green", "query": "bold magenta", "filler": "dim"}
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
    "makes duplicates certain; a larger one or random filler makes them vanish, and "
    "--drop-duplicates leaves out validation and test examples that an earlier split has."
)
SHOWN = 3
DEFAULTS = MQAR()


@app.callback()
def data() -> None:
    """Look at a task's examples, measure them, write them to a file."""


@app.command()
def mqar(
    vocab_size: Annotated[int, typer.Option(help="Tokens; the lower half are keys.")] = (
        DEFAULTS.vocab_size
    ),
    length: Annotated[int | None, typer.Option(help="Tokens of an example (64).")] = None,
    pairs: Annotated[int | None, typer.Option(help="Key-value pairs of an example (4).")] = None,
    segment: Annotated[
        list[str] | None,
        typer.Option(help="LENGTH:PAIRS or LENGTH:PAIRS:EXAMPLES; again for a mixture."),
    ] = None,
    power_a: Annotated[float, typer.Option(help="Gap i has p ∝ i^(a - 1).")] = DEFAULTS.power_a,
    filler: Annotated[
        str, typer.Option(help="random (never a key of its example), none, or any (as published).")
    ] = DEFAULTS.filler,
    seed: Annotated[int, typer.Option(help="Seed of the data.")] = DEFAULTS.seed,
    split: Annotated[str, typer.Option(help="train, validation or test.")] = "test",
    examples: Annotated[
        int | None,
        typer.Option(help="Examples of each segment of the split (3 are printed)."),
    ] = None,
    train_examples: Annotated[int, typer.Option(help="Of each segment.")] = (
        DEFAULTS.train_examples
    ),
    validation_examples: Annotated[int, typer.Option(help="Of each segment.")] = (
        DEFAULTS.validation_examples
    ),
    test_examples: Annotated[int, typer.Option(help="Of each segment.")] = DEFAULTS.test_examples,
    drop_duplicates: Annotated[
        bool,
        typer.Option(
            "--drop-duplicates", help="Leave out validation and test examples of earlier splits."
        ),
    ] = False,
    stats: Annotated[bool, typer.Option("--stats", help="Measure facts of the split.")] = False,
    duplicates: Annotated[
        bool, typer.Option("--duplicates", help="Count duplicates in and between all splits.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Write the split to FILE.parquet or FILE.safetensors.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Multi-query associative recall: print examples, measure them, or write them.

    Example: bestiary data mqar --vocab-size 40 --length 32 --pairs 3
    """
    chosen = as_split(split)
    counts = {
        "train": train_examples,
        "validation": validation_examples,
        "test": test_examples,
    }
    if examples is not None:
        counts[chosen] = examples
    task = MQAR(
        vocab_size=vocab_size,
        segments=_segments(segment or [], length, pairs, chosen),
        power_a=power_a,
        filler=cast(Filler, filler),
        seed=seed,
        train_examples=counts["train"],
        validation_examples=counts["validation"],
        test_examples=counts["test"],
        drop_duplicates=drop_duplicates,
    )
    if out is not None:
        count = write(task, chosen, out)
        typer.echo(f"{out}: {count:,} {split} examples", err=as_json)
    measured: dict[str, Sequence[Facts | Duplicates]] = {}
    if stats:
        measured["stats"] = measure(task, chosen)
    if duplicates:
        measured["duplicates"] = count_duplicates(task)
    if measured:
        _print_measured(task, measured, as_json)
    elif out is None:
        _print_examples(task, chosen, SHOWN if examples is None else examples, as_json)


def _segments(
    given: list[str], length: int | None, pairs: int | None, split: Split
) -> tuple[Segment, ...]:
    """Segments from ``LENGTH:PAIRS[:EXAMPLES]``, or the one of --length and --pairs."""
    if not given:
        return (Segment(64 if length is None else length, 4 if pairs is None else pairs),)
    if length is not None or pairs is not None:
        raise UserError("--segment already says length and pairs; leave --length and --pairs out")
    segments = []
    for text in given:
        numbers = text.split(":")
        if len(numbers) not in (2, 3) or not all(n.strip().isdecimal() for n in numbers):
            raise UserError(f"segment {text!r} is not LENGTH:PAIRS or LENGTH:PAIRS:EXAMPLES")
        size, count, *examples = (int(n) for n in numbers)
        own: dict[str, int] = {split: examples[0]} if examples else {}
        segments.append(Segment(size, count, **own))
    return tuple(segments)


def _print_examples(task: MQAR, split: Split, most: int, as_json: bool) -> None:
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
            console.print(_picture(batch, row, split, console.width))


def _plain(batch: Batch, row: int) -> dict[str, Any]:
    arrays = {"tokens": batch.tokens, "labels": batch.labels, **batch.info}
    return {name: array[row].tolist() for name, array in arrays.items()}


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value))


def _picture(batch: Batch, row: int, split: Split, width: int) -> Text:
    """An example in lines of marks, tokens and labels that fit ``width``."""
    tokens = roles(batch, row)
    column = 1 + max(len(text) for token in tokens for text in (token.mark, str(token.token)))
    per_line = max(1, (width - len(HEADS[0])) // column)
    pairs = int(batch.info["pairs"][row])
    picture = Text(f"{split} {row}: length {len(tokens)}, {pairs} pairs\n", style="bold")
    for start in range(0, len(tokens), per_line):
        part = tokens[start : start + per_line]
        for head, cell in zip(HEADS, (_mark, _token, _label), strict=True):
            texts = [cell(token) for token in part]
            if not any(texts):
                continue
            picture.append(head, style="not bold dim")
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
    task: MQAR, measured: Mapping[str, Sequence[Facts | Duplicates]], as_json: bool
) -> None:
    if as_json:
        _print_json({name: [asdict(row) for row in rows] for name, rows in measured.items()})
        return
    console = Terminal()
    if "stats" in measured:
        console.show(_stats_table(measured["stats"]))
    if "duplicates" in measured:
        console.show(_duplicates_table(measured["duplicates"]))
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


def _duplicates_table(rows: Sequence[Facts | Duplicates]) -> Table:
    """One segment of one split a line."""
    table = Table(box=None, pad_edge=False)
    for name in asdict(rows[0]):
        table.add_column(name.replace("_", " "), justify="left" if name == "split" else "right")
    for row in rows:
        table.add_row(*(_cell(name, value) for name, value in asdict(row).items()))
    return table


def _cell(name: str, value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3f}" if name in PER_EXAMPLE else f"{value:.3%}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _chance(task: MQAR) -> Text:
    """Why there are duplicates, or none: how many sequences there are to draw from."""
    lines = []
    for segment in task.segments:
        drawn = sum(segment.examples(split) for split in SPLITS)
        possible = log10_sequences(task, segment)
        # Equal chances make equal pairs rarest, so there are at least this many to expect.
        equal = drawn * (drawn - 1) / 2 * 10.0**-possible
        expected = f"at least {equal:,.0f} equal pairs" if equal > 0.5 else "hardly an equal pair"
        lines.append(
            f"Length {segment.length}, {segment.pairs} pairs: at most 10^{possible:.1f} sequences, "
            f"{drawn:,} drawn, {expected} to be expected."
        )
    return Text("\n".join([*lines, WHY_DUPLICATES]))
