"""Runs side by side: where their configs differ and what they came to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from bestiary.errors import UserError
from bestiary.runs.run_folder import RunFolder
from bestiary.runs.store import COLUMNS, collect

METRICS = (
    "status",
    "accuracy",
    "all_correct",
    "loss",
    "validation_accuracy",
    "chance",
    "state_size",
    "parameters",
    "step",
    "seconds",
)


@dataclass(frozen=True)
class Comparison:
    """Rows by name, one value a run, in the order of ``run_ids``."""

    run_ids: list[str]
    differences: dict[str, list[Any]]
    metrics: dict[str, list[Any]]

    def plain(self) -> dict[str, Any]:
        """What JSON can hold."""
        return {
            "runs": self.run_ids,
            "differences": self.differences,
            "metrics": {
                name: [None if _not_finite(value) else value for value in row]
                for name, row in self.metrics.items()
            },
        }


def compare_runs(folders: Sequence[RunFolder]) -> Comparison:
    """Compare two runs or more; raises ``UserError`` for fewer and for one without a config."""
    if len(folders) < 2:
        raise UserError("one run has nothing to be compared with; give two or more")
    for folder in folders:
        folder.config()
    frame = pl.concat([collect(folder.path) for folder in folders], how="diagonal_relaxed")
    fields = ["seed", *(name for name in frame.columns if name not in COLUMNS)]
    values = {name: frame[name].to_list() for name in fields}
    return Comparison(
        run_ids=frame["run_id"].to_list(),
        differences={name: row for name, row in values.items() if len(set(row)) > 1},
        metrics={name: frame[name].to_list() for name in METRICS},
    )


def _not_finite(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)
