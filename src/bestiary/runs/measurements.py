"""The Parquet files of a run: their columns, and reading them so that every number is one.

A file that is cut off, or that another program wrote, is no file: a run without numbers is
something a report can say, a number that is none is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

HISTORY_SCHEMA: dict[str, Any] = {
    "step": pl.Int64,
    "epoch": pl.Int64,
    "seconds": pl.Float64,
    "split": pl.String,
    "learning_rate": pl.Float64,
    "loss": pl.Float64,
    "accuracy": pl.Float64,
    "all_correct": pl.Float64,
}
RESULTS_SCHEMA: dict[str, Any] = {
    "split": pl.String,
    "slice": pl.String,
    "length": pl.Int64,
    "pairs": pl.Int64,
    "gap_low": pl.Int64,
    "gap_high": pl.Int64,
    "examples": pl.Int64,
    "queries": pl.Int64,
    "loss": pl.Float64,
    "accuracy": pl.Float64,
    "all_correct": pl.Float64,
    "chance": pl.Float64,
}
NEEDED = {
    "history.parquet": ("step", "split"),
    "results.parquet": ("split", "slice", "queries", "loss", "accuracy", "chance"),
}
"""Columns in which every row has a value; the others are null where they do not apply."""


def rows_frame(rows: Sequence[Mapping[str, Any]], schema: Mapping[str, Any]) -> pl.DataFrame:
    """Rows as a table: the columns of ``schema`` first and always, then what else is measured."""
    extra = {key: None for row in rows for key in row if key not in schema}
    return pl.DataFrame(
        [{key: row.get(key) for key in (*schema, *extra)} for row in rows],
        schema=None if rows and extra else dict(schema),
        schema_overrides=dict(schema) if rows and extra else None,
        strict=False,
        infer_schema_length=None,
    )


def read_history(folder: Path) -> pl.DataFrame | None:
    """history.parquet of a run's folder; None where there is none or it is none."""
    return _read(folder / "history.parquet", HISTORY_SCHEMA)


def read_results(folder: Path) -> pl.DataFrame | None:
    """results.parquet of a run's folder; None where there is none or it is none."""
    frame = _read(folder / "results.parquet", RESULTS_SCHEMA)
    if frame is None:
        return None
    gaps = frame.filter(slice="gap").select("gap_low", "gap_high")
    whole = frame.filter(pl.col("slice") != "gap").select("all_correct")
    numbers = frame.select("loss", "accuracy", "chance", "all_correct")
    sizes = frame.select("length", "pairs", "queries")
    broken = (
        sum(gaps.null_count().row(0)),
        sum(whole.null_count().row(0)),
        numbers.select((~pl.all().is_finite()).any()).row(0).count(True),
        sizes.select((pl.all() < 1).any()).row(0).count(True),
    )
    return None if any(broken) else frame


def _read(path: Path, schema: Mapping[str, Any]) -> pl.DataFrame | None:
    try:
        frame = pl.read_parquet(path)
        missing = [name for name in NEEDED[path.name] if name not in frame.columns]
        known = frame.select(
            frame[name].cast(kind) if name in frame.columns else pl.lit(None, kind).alias(name)
            for name, kind in schema.items()
        )
    except (OSError, pl.exceptions.PolarsError):
        return None
    if missing or sum(known.select(NEEDED[path.name]).null_count().row(0)):
        return None
    return known.hstack(frame.drop(schema, strict=False))
