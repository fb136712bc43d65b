"""Everything a report is made from, read once from an experiment folder."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from bestiary.atomic import read_json
from bestiary.errors import UserError
from bestiary.report.points import Point, find_points
from bestiary.report.segments import SegmentResult, segment_results
from bestiary.report.windows import RateCurve, rate_curves
from bestiary.runs import documents
from bestiary.runs.config import Experiment
from bestiary.runs.experiment_folder import EXPERIMENT_FILE
from bestiary.runs.run_folder import RunFolder
from bestiary.runs.store import collect, collect_history, collect_results
from bestiary.runs.sweep import expand
from bestiary.runs.tuning import FILE as TUNING_FILE
from bestiary.runs.tuning import Tuning, read_tuning


@dataclass(frozen=True)
class Study:
    """The runs of a folder, and what they say when read together.

    runs: one row a run, as ``store.collect`` has them, with the ``summary`` and ``environment``
    of its folder beside. results, history: ``store.collect_results`` and ``collect_history``.
    """

    folder: Path
    name: str
    runs: Sequence[Mapping[str, Any]]
    results: pl.DataFrame
    history: pl.DataFrame
    experiment: Mapping[str, Any] | None = None
    tuning: Tuning | None = None

    @cached_property
    def points(self) -> list[Point]:
        """The runs by config without seed and rate."""
        return find_points(self.runs)

    @cached_property
    def segments(self) -> list[SegmentResult]:
        """Every point on every test segment, at its chosen rate."""
        return segment_results(self.points, self.results)

    @cached_property
    def curves(self) -> list[RateCurve]:
        """Accuracy over learning rate, from the runs or else from the tuning file."""
        return rate_curves(self.points, self.tuning)

    @cached_property
    def mixers(self) -> list[str]:
        """The labels of all points, in their order."""
        return list(dict.fromkeys(point.label for point in self.points))

    @cached_property
    def answers(self) -> dict[int, int | None]:
        """Point number → from how many values an answer is drawn, where its task says so."""
        return {point.number: answers_of(Path(point.runs[0]["path"])) for point in self.points}


def answers_of(run: Path) -> int | None:
    """From how many values the answers of the run's task are drawn; None where it is not said."""
    with contextlib.suppress(UserError):
        values = getattr(RunFolder(run).config().build_task(), "values", None)
        return values if isinstance(values, int) else None
    return None


def load_study(folder: Path | str) -> Study:
    """Read the folder of an experiment. Raises ``UserError`` where it holds no run."""
    folder = Path(folder)
    frame = collect(folder)
    if frame.is_empty():
        raise UserError(
            f"{str(folder)!r} holds no runs (accepted: the --out of an experiment that has begun)"
        )
    experiment = None
    if (folder / EXPERIMENT_FILE).exists():
        experiment = documents.read_mapping(folder / EXPERIMENT_FILE)
    order = asked_for(experiment)
    tuning = read_tuning(folder / TUNING_FILE) if (folder / TUNING_FILE).exists() else None
    return Study(
        folder=folder,
        name=str((experiment or {}).get("name") or folder.resolve().name),
        runs=sorted(
            (with_documents(row) for row in frame.iter_rows(named=True)),
            key=lambda run: order.index(run["label"]) if run["label"] in order else len(order),
        ),
        results=collect_results(folder),
        history=collect_history(folder),
        experiment=experiment,
        tuning=tuning,
    )


def asked_for(experiment: Mapping[str, Any] | None) -> list[str]:
    """The names of an experiment's models in the order in which its author gave them."""
    with contextlib.suppress(UserError):
        if experiment is not None:
            asked = Experiment.read({**experiment, "tuning": None}, EXPERIMENT_FILE)
            return list(dict.fromkeys(run.model.name for run in expand(asked)))
    return []


def with_documents(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of ``collect`` with the run's summary and environment, empty where there is none."""
    folder = RunFolder(Path(row["path"]))
    environment = read_json(folder.path / "environment.json")
    return {
        **row,
        "summary": folder.summary(),
        "environment": environment if isinstance(environment, dict) else {},
    }
