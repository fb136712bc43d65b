"""The table: one row a mixer, width and test segment, for people and for other programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

import polars as pl
from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from bestiary.report.interval import MEANING, Interval
from bestiary.report.segments import SegmentResult
from bestiary.report.task_words import counted_as
from bestiary.runs.tuning import rate_text

SCHEMA: dict[str, Any] = {
    "mixer": pl.String,
    "weights": pl.String,
    "variant": pl.String,
    "width": pl.Int64,
    "length": pl.Int64,
    "pairs": pl.Int64,
    "accuracy": pl.Float64,
    "accuracy_low": pl.Float64,
    "accuracy_high": pl.Float64,
    "all_correct": pl.Float64,
    "chance": pl.Float64,
    "loss": pl.Float64,
    "state_size": pl.Int64,
    "parameters": pl.Int64,
    "dense_parameters": pl.Int64,
    "layers": pl.Int64,
    "seconds": pl.Float64,
    "learning_rate": pl.Float64,
    "rates_tried": pl.Int64,
    "validation_accuracy": pl.Float64,
    "seeds": pl.Int64,
    "runs": pl.Int64,
    "finished": pl.Int64,
    "diverged": pl.Int64,
    "failed": pl.Int64,
    "unfinished": pl.Int64,
}
"""Columns of table.csv and table.parquet. accuracy to loss, seconds, seeds and
validation_accuracy are over the finished seeds at learning_rate; runs and what follows count the
runs at every rate. weights: ``trained`` or ``compiled``. Of a compiled model parameters are those
other than 0, dense_parameters the same weights as whole arrays, layers those between embedding and
head, seconds what building and scoring it took."""


@dataclass(frozen=True)
class Column:
    """A column as people read it. key: what it is sorted by, a column of the frame."""

    key: str
    title: str
    numeric: bool = True


COLUMNS = (
    Column("mixer", "mixer", numeric=False),
    Column("width", "width"),
    Column("length", "length"),
    Column("pairs", "pairs"),
    Column("accuracy", "accuracy"),
    Column("all_correct", "all correct"),
    Column("chance", "guessing"),
    Column("state_size", "state"),
    Column("parameters", "params"),
    Column("seconds", "time"),
    Column("learning_rate", "rate"),
    Column("seeds", "seeds"),
    Column("failed", "lost runs"),
)
HOISTED = ("width", "length", "pairs", "learning_rate", "seeds", "failed")
"""Columns that are left out, and said once, where all rows agree."""
GIVING_WAY = ("learning_rate", "failed", "seeds")
"""Columns that a narrow terminal leaves out."""
NOTHING = "–"
COMPILED = (
    "Weights of compiled models are set by hand, not trained: one run each, at the width that the "
    "construction needs, and of their parameters those that are not 0."
)


def columns_of(segments: Sequence[SegmentResult]) -> list[Column]:
    """``COLUMNS``, pairs called by what these tasks count, and left out where there are none."""
    title = counted_as(result.words for result in segments)
    named = [replace(c, title=title) if c.key == "pairs" else c for c in COLUMNS]
    return [column for column in named if column.title]


def table_frame(segments: Sequence[SegmentResult]) -> pl.DataFrame:
    """The rows in the columns of ``SCHEMA``, unrounded."""
    return pl.DataFrame([row_of(result) for result in segments], schema=SCHEMA)


def row_of(result: SegmentResult) -> dict[str, Any]:
    """One row of the table."""
    point, chosen = result.point, result.point.chosen
    interval = result.accuracy
    compiled = chosen.runs[0].get("summary", {}).get("compiled") or {}
    seconds = [run["seconds"] for run in chosen.finished if run["seconds"] is not None]
    return {
        "mixer": point.mixer,
        "weights": "compiled" if point.compiled else "trained",
        "variant": point.variant,
        "width": point.d_model,
        "length": result.length,
        "pairs": result.pairs,
        "accuracy": interval and interval.mean,
        "accuracy_low": interval and interval.low,
        "accuracy_high": interval and interval.high,
        "all_correct": result.all_correct,
        "chance": result.chance,
        "loss": result.loss,
        "state_size": result.state_size,
        "parameters": chosen.runs[0]["parameters"],
        "dense_parameters": compiled.get("dense"),
        "layers": compiled.get("layers"),
        "seconds": fmean(seconds) if seconds else None,
        "learning_rate": chosen.learning_rate,
        "rates_tried": len(point.rates),
        "validation_accuracy": point.tuned and point.tuned.validation_accuracy,
        "seeds": len(result.accuracies),
        "runs": len(point.runs),
        "finished": point.count("finished"),
        "diverged": point.count("diverged"),
        "failed": point.count("failed"),
        "unfinished": point.count("running", "waiting", "interrupted"),
    }


def cells(result: SegmentResult) -> list[str]:
    """The row as text, in the order of ``COLUMNS``."""
    row = row_of(result)
    return [
        result.point.label,
        whole(row["width"]),
        whole(row["length"]),
        whole(row["pairs"]) if result.words.thing else NOTHING,
        accuracy_text(result.accuracy),
        share(row["all_correct"]),
        share(row["chance"]),
        whole(row["state_size"]),
        whole(row["parameters"]),
        seconds_text(row["seconds"]),
        rate(row["learning_rate"]),
        NOTHING if result.point.compiled else whole(row["seeds"]),
        lost_text(row),
    ]


def share(value: float | None) -> str:
    """An accuracy to three digits; 1.000 only where it is exactly 1."""
    if value is None:
        return NOTHING
    return "1.000" if value == 1 else f"{min(value, 0.999):.3f}"


def accuracy_text(interval: Interval | None) -> str:
    """``0.987 (0.981–0.993)``: the mean and, where there is one, its interval."""
    if interval is None:
        return NOTHING
    if interval.low is None or interval.high is None:
        return share(interval.mean)
    return f"{share(interval.mean)} ({share(interval.low)}–{share(interval.high)})"


def whole(value: int | None) -> str:
    """``12,345``."""
    return NOTHING if value is None else f"{value:,}"


def rate(value: float | None) -> str:
    """A learning rate; nothing for a compiled model."""
    return NOTHING if value is None else rate_text(value)


def seconds_text(seconds: float | None) -> str:
    """``8.5 s``, ``82 s``, ``3.3 min``, ``2.1 h``: mean training time of a run."""
    if seconds is None:
        return NOTHING
    for unit, letters in ((1, "s"), (60, "min"), (3600, "h")):
        value = seconds / unit
        if round(value) < 100 or letters == "h":
            break
    # 9.97 would round to three digits.
    return f"{value:.1f} {letters}" if round(value, 1) < 10 else f"{value:,.0f} {letters}"


def lost_text(row: dict[str, Any]) -> str:
    """``2 of 9``: runs without a result at any rate, of all; nothing lost is ``0``."""
    lost = row["runs"] - row["finished"]
    return f"{lost} of {row['runs']}" if lost else "0"


def short(value: int | None) -> str:
    """``12.3k``: a large number in at most five letters, for a terminal."""
    if value is None:
        return NOTHING
    for unit, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= unit:
            # 999,700 would round to a thousand thousands.
            return f"{min(value / unit, 999):.3g}{letter}"
    return str(value)


def guessing_line(segments: Sequence[SegmentResult]) -> str:
    """What guessing would score, for every number of pairs or every setting."""
    by_task: dict[str, list[SegmentResult]] = {}
    for result in segments:
        by_task.setdefault(result.words.shown, []).append(result)
    return " ".join(_guessing(shown, results) for shown, results in by_task.items())


def _guessing(shown: str, results: Sequence[SegmentResult]) -> str:
    if results[0].words.thing == "pair":
        chances = {s.pairs: s.chance for s in results if s.pairs and s.chance is not None}
        each = ", ".join(f"1/{k} = {share(chances[k])}" for k in sorted(chances))
        return f"Guessing among the K pairs drawn scores 1/K{f': {each}' if each else ''}."
    scores = {s.setting: share(s.chance) for s in results if s.chance is not None}
    each = "; ".join(f"{score} at {setting}" for setting, score in scores.items())
    return f"Guessing among {shown} scores {each}." if each else ""


def reading_line(segments: Sequence[SegmentResult]) -> str:
    """What the numbers are: of which split, at which rate, and which interval."""
    measured = [s for s in segments if s.accuracies]
    if not measured:
        return "No run has finished yet."
    seeds = sorted({len(s.accuracies) for s in measured if not s.point.compiled})
    if not seeds:
        return f"Accuracy on test. {COMPILED}"
    span = f"{seeds[0]}" if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"
    unit = "seed" if seeds == [1] else "seeds"
    interval = f" ({MEANING})" if seeds[-1] > 1 else ", without an interval"
    said = f"Accuracy on test at the rate chosen on validation, mean of {span} {unit}{interval}."
    return f"{said} {COMPILED}" if any(s.point.compiled for s in measured) else said


def rich_table(
    segments: Sequence[SegmentResult], title: str | None = None, width: int | None = None
) -> Table:
    """The table for a terminal of ``width`` columns, what its numbers mean under it.

    A column that says the same in every row is said once instead. Where the rest is still too
    wide, first rate, seeds and lost runs give way, which the page and the files have, then
    intervals and long names take a second line.
    """
    said_once = repeated(segments)
    # Guessing has a note of its own, for every number of pairs.
    called = columns_of(segments)
    kept = [column for column in called if column.key not in said_once and column.key != "chance"]
    fewer = [column for column in kept if column.key not in GIVING_WAY]
    notes = [reading_line(segments), guessing_line(segments)]
    if said_once:
        notes.insert(0, once_line(said_once, called))
    for columns, whole_lines in ((kept, True), (fewer, True), (fewer, False)):
        table = lay_out(segments, columns, notes, title, whole_lines)
        if width is None or narrowest(table) <= width:
            return table
    table.padding = (0, 0, 0, 0)
    return table


def repeated(segments: Sequence[SegmentResult]) -> dict[str, str]:
    """Columns that say the same in every row, and what."""
    rows = [dict(zip(COLUMNS, cells(result), strict=True)) for result in segments]
    texts = {column.key: {row[column] for row in rows} for column in COLUMNS}
    return {key: texts[key].pop() for key in HOISTED if len(texts[key]) == 1}


def once_line(said_once: Mapping[str, str], columns: Sequence[Column]) -> str:
    """What every row has, by the keys of columns."""
    said = {key: text for key, text in said_once.items() if text != NOTHING}
    each = (f"{c.title} {said[c.key]}" for c in columns if c.key in said)
    return f"In every row: {', '.join(each)}."


def narrowest(table: Table) -> int:
    """How many columns of a terminal the table needs with no number broken."""
    console = Console(width=1000)
    return Measurement.get(console, console.options, table).minimum


def lay_out(
    segments: Sequence[SegmentResult],
    columns: Sequence[Column],
    notes: Sequence[str],
    title: str | None,
    whole_lines: bool,
) -> Table:
    """A table with these columns. whole_lines: no row takes a second line."""
    table = Table(
        title=None if title is None else Text(title),
        title_justify="left",
        title_style="bold",
        caption=Text("\n".join(notes)),
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        show_edge=False,
    )
    rows = [printed_cells(result) for result in segments]
    for column in columns:
        texts = [row[column.key] for row in rows]
        longest = max(map(len, texts), default=0)
        wrapping = {"accuracy": 13, "mixer": 20} if not whole_lines else {"mixer": 40}
        least = min(longest, wrapping.get(column.key, longest))
        table.add_column(
            column.title.replace(" ", "\n"),
            justify="right" if column.numeric else "left",
            overflow="fold",
            no_wrap=least == longest,
            min_width=least,
        )
    for number, (result, row) in enumerate(zip(segments, rows, strict=True)):
        following = segments[number + 1 : number + 2]
        ends = any(other.point.mixer != result.point.mixer for other in following)
        # Text, not markup: a mixer may be named [red].
        shown = (Text(row[column.key]) for column in columns)
        table.add_row(*shown, end_section=ends and len(segments) > 8)
    return table


def printed_cells(result: SegmentResult) -> dict[str, str]:
    """The row as a terminal shows it, by column."""
    texts = dict(zip((column.key for column in COLUMNS), cells(result), strict=True))
    row = row_of(result)
    return texts | {key: short(row[key]) for key in ("state_size", "parameters")}
