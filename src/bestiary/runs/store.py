"""All runs under a folder as tables; reports read these and nothing else.

Reading tolerates whatever a running, killed or failed run left: a file that is missing or cannot
be read is a run with fewer numbers, never an error. A config that cannot be read is no run; the log
says so.
"""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from bestiary.errors import UserError, did_you_mean
from bestiary.runs.compiled_model import CompiledModel
from bestiary.runs.config import RunConfig
from bestiary.runs.measurements import (
    HISTORY_SCHEMA,
    RESULTS_SCHEMA,
    read_history,
    read_results,
)
from bestiary.runs.run_folder import RunFolder

log = logging.getLogger(__name__)

COLUMNS: dict[str, Any] = {
    "run_id": pl.String,
    "path": pl.String,
    "point": pl.String,
    "label": pl.String,
    "status": pl.String,
    "reason": pl.String,
    "seed": pl.Int64,
    "d_model": pl.Int64,
    "length": pl.Int64,
    "pairs": pl.Int64,
    "learning_rate": pl.Float64,
    "accuracy": pl.Float64,
    "all_correct": pl.Float64,
    "loss": pl.Float64,
    "validation_accuracy": pl.Float64,
    "state_size": pl.Int64,
    "parameters": pl.Int64,
    "step": pl.Int64,
    "steps": pl.Int64,
    "seconds": pl.Float64,
    "chance": pl.Float64,
}


def run_folders(folder: Path) -> list[RunFolder]:
    """Every run in ``folder``: a run's own, an experiment's, or one that holds experiments.

    Raises ``UserError`` when there is no such folder.
    """
    if not folder.is_dir():
        what = "is a file, not a folder of runs" if folder.exists() else "is not there"
        raise UserError(f"{str(folder)!r} {what} (accepted: the --out of an experiment, or a run)")
    if (folder / "config.yaml").exists():
        return [RunFolder(folder)]
    found = {*folder.glob("runs/*/config.yaml"), *folder.glob("*/runs/*/config.yaml")}
    return [RunFolder(path.parent) for path in sorted(found)]


def find_run(run: str, within: Path) -> RunFolder:
    """The run at the path ``run``, or the one below ``within`` whose id begins with it.

    Raises ``UserError`` when there is none or more than one.
    """
    if (Path(run) / "config.yaml").exists():
        return RunFolder(Path(run))
    if Path(run).is_dir() and not within.is_dir():
        raise UserError(f"{run!r} is a folder without a config.yaml, so it is no run")
    found = [one for one in run_folders(within) if one.path.name.startswith(run)]
    found = [one for one in found if one.path.name == run] or found
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(one.path.name for one in found[:3])
        raise UserError(f"{run!r} is the beginning of {len(found)} runs, such as {names}")
    hint = did_you_mean(run, [one.path.name for one in run_folders(within)])
    raise UserError(
        f"no run {run!r} in {str(within)!r}{hint} (accepted: a run's folder, or the beginning of "
        "an id that `bestiary runs` lists; --in says where)"
    )


def collect(folder: Path | str) -> pl.DataFrame:
    """One row a run, in the columns of ``COLUMNS`` and every config field by its dotted name.

    length and pairs are the longest test examples and, of those, the most pairs; accuracy,
    all_correct, loss and chance are over the whole test split (``collect_results`` has the
    slices), validation_accuracy over the validation split, or its last measurement of a run that
    is not finished. state_size is in elements at ``length``. point is equal for runs that differ
    in seed and learning rate alone. Values of the config that are lists or mappings are JSON.
    """
    rows = [row for run in run_folders(Path(folder)) if (row := _row(run)) is not None]
    extra = {key: None for row in rows for key in row if key not in COLUMNS}
    series = [
        pl.Series(name, [row.get(name) for row in rows], dtype=dtype, strict=False)
        for name, dtype in COLUMNS.items()
    ]
    series += [_series(name, [row.get(name) for row in rows]) for name in extra]
    return pl.DataFrame(series)


def collect_results(folder: Path | str) -> pl.DataFrame:
    """The results.parquet of every run, stacked, ``run_id`` in front."""
    return _stacked(Path(folder), read_results, RESULTS_SCHEMA)


def collect_history(folder: Path | str) -> pl.DataFrame:
    """The history.parquet of every run, stacked, ``run_id`` in front."""
    return _stacked(Path(folder), read_history, HISTORY_SCHEMA)


def _stacked(
    folder: Path, read: Callable[[Path], pl.DataFrame | None], schema: Mapping[str, Any]
) -> pl.DataFrame:
    frames = [pl.DataFrame(schema={"run_id": pl.String, **schema})]
    for run in run_folders(folder):
        frame = read(run.path)
        if frame is not None:
            frames.append(frame.select(pl.lit(run.path.name).alias("run_id"), pl.all()))
    return pl.concat(frames, how="diagonal_relaxed")


def _row(folder: RunFolder) -> dict[str, Any] | None:
    try:
        run = folder.config()
    except UserError as error:
        log.warning("a run is left out: %s", error)
        return None
    status = folder.status()
    summary = folder.summary()
    row: dict[str, Any] = {
        "run_id": folder.path.name,
        "path": str(folder.path),
        "label": run.model.name,
        "status": status.status,
        "reason": status.reason,
        "seed": run.seed,
        **_choices(run, summary),
        "step": status.step,
        "steps": status.steps,
        "seconds": status.seconds,
        "state_size": summary.get("state_size"),
        "parameters": summary.get("parameters"),
    }
    # A class of the user's may be out of reach today; its numbers are still worth reading.
    with contextlib.suppress(UserError):
        row["point"] = run.point
    row |= _sizes(summary) | _measured(folder)
    return row | dict(_flat(run))


def _choices(run: RunConfig, summary: Mapping[str, Any]) -> dict[str, Any]:
    """Width and rate; a compiled model has its own width, and no rate."""
    if isinstance(run.model, CompiledModel):
        return {"d_model": summary.get("d_model"), "learning_rate": None}
    return {"d_model": run.model.d_model, "learning_rate": run.training.learning_rate}


def _sizes(summary: Mapping[str, Any]) -> dict[str, Any]:
    segments = summary.get("segments", {}).get("test") or []
    longest = max(segments, key=lambda s: (s["length"], s["pairs"]), default=None)
    return {"length": longest["length"], "pairs": longest["pairs"]} if longest else {}


def _measured(folder: RunFolder) -> dict[str, Any]:
    results = read_results(folder.path)
    if results is not None:
        whole = {row["split"]: row for row in results.filter(slice="all").iter_rows(named=True)}
        test = whole.get("test", {})
        row = {key: test.get(key) for key in ("accuracy", "all_correct", "loss", "chance")}
        return row | {"validation_accuracy": whole.get("validation", {}).get("accuracy")}
    history = read_history(folder.path)
    if history is not None:
        validation = history.filter(split="validation").sort("step")
        if len(validation):
            return {"validation_accuracy": validation["accuracy"][-1]}
    return {}


def _flat(run: RunConfig) -> Iterator[tuple[str, Any]]:
    plain = run.model_dump(mode="python")
    for section in ("task", "model", "training"):
        for key, value in plain[section].items():
            nested = isinstance(value, (list, dict, tuple))
            yield f"{section}.{key}", json.dumps(value) if nested else value


def _series(name: str, values: list[Any]) -> pl.Series:
    """A column of one type: a field may be a number in one run and a word in another."""
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) > 1 and not kinds <= {int, float}:
        values = [value if value is None else str(value) for value in values]
    elif kinds == {int, float}:
        values = [value if value is None else float(value) for value in values]
    return pl.Series(name, values)
