"""Which learning rate a model gets, and every point that says so.

Recurrent and convolutional mixers recall in a narrow window of rates only (arXiv 2508.19029), so
a comparison at one rate says little. A tuning file keeps the whole grid: what was chosen can be
seen beside what was not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ValidationError

from bestiary.errors import UserError
from bestiary.runs import documents
from bestiary.runs.config import Experiment
from bestiary.runs.owned import STRICT
from bestiary.runs.problems import user_error
from bestiary.runs.sweep import RATE

FILE = "tuning.yaml"
RATES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
"""What is tried unless a person says otherwise."""
REACH = 0.9
"""Share of the best mean validation accuracy that a rate must reach to be in the window."""


class Point(BaseModel):
    """One training of the grid; validation_accuracy is 0 if it diverged, None if it failed."""

    model_config = STRICT

    rate: float
    seed: int
    validation_accuracy: float | None
    status: str


class Window(BaseModel):
    """The tried rates around the best one whose mean accuracy is ≥ ``REACH`` of the best mean.

    decades: log10(high / low). open_low, open_high: the lowest or highest tried rate is still in
    the window, so that the true window may be wider.
    """

    model_config = STRICT

    low: float
    high: float
    decades: float
    open_low: bool
    open_high: bool


class Tuned(BaseModel):
    """The chosen rate of one model. validation_accuracy is the mean over seeds at that rate."""

    model_config = STRICT

    rate: float
    validation_accuracy: float
    window: Window
    points: list[Point]


class Tuning(BaseModel):
    """A tuning file: command that made it, the config it was made under, models by name."""

    model_config = STRICT

    command: str
    experiment: dict[str, Any]
    models: dict[str, Tuned]

    @classmethod
    def read(cls, data: Mapping[str, Any], source: str) -> Self:
        """Validate plain data; raises ``UserError``."""
        try:
            return cls.model_validate(dict(data))
        except ValidationError as error:
            raise user_error(error, source, lambda path: [*cls.model_fields]) from error

    def plain(self) -> dict[str, Any]:
        """The YAML form."""
        return self.model_dump(mode="python")

    def rates(self) -> dict[str, float]:
        """Model name → chosen learning rate."""
        return {name: tuned.rate for name, tuned in self.models.items()}


def read_tuning(path: Path) -> Tuning:
    """Read a tuning file; raises ``UserError``."""
    return Tuning.read(documents.read_mapping(path), str(path))


def tune(points: Sequence[Point]) -> Tuned:
    """Choose the rate with the best mean validation accuracy over seeds; the lower one of equals.

    Runs that failed have no say; a rate at which all failed cannot be chosen.
    """
    by_rate: dict[float, list[float]] = {}
    for point in points:
        if point.validation_accuracy is not None:
            by_rate.setdefault(point.rate, []).append(point.validation_accuracy)
    if not by_rate:
        raise UserError("no run of the grid gave a validation accuracy, so no rate can be chosen")
    means = {rate: math.fsum(by_rate[rate]) / len(by_rate[rate]) for rate in sorted(by_rate)}
    best = max(means, key=lambda rate: means[rate])
    return Tuned(
        rate=best,
        validation_accuracy=means[best],
        window=window_around(best, means),
        points=list(points),
    )


def window_around(best: float, means: Mapping[float, float]) -> Window:
    """The unbroken run of tried rates that holds ``best`` and reaches ``REACH`` of its mean."""
    rates = sorted(means)
    low = high = rates.index(best)
    enough = REACH * means[best]
    while low > 0 and means[rates[low - 1]] >= enough:
        low -= 1
    while high < len(rates) - 1 and means[rates[high + 1]] >= enough:
        high += 1
    return Window(
        low=rates[low],
        high=rates[high],
        decades=math.log10(rates[high] / rates[low]),
        open_low=low == 0,
        open_high=high == len(rates) - 1,
    )


def tune_from_runs(
    runs: Sequence[Mapping[str, Any]], command: str, experiment: Mapping[str, Any]
) -> Tuning:
    """A tuning from rows of ``store.collect``, one entry a label."""
    models: dict[str, Tuned] = {}
    ordered = sorted(runs, key=lambda row: (row["learning_rate"], row["seed"]))
    for label in dict.fromkeys(row["label"] for row in runs):
        models[label] = tune([_point(row) for row in ordered if row["label"] == label])
    return Tuning(command=command, experiment=dict(experiment), models=models)


def over_rates(experiment: Experiment, rates: Sequence[float]) -> Experiment:
    """The experiment with the learning rate swept, under a name of its own."""
    grid = {**experiment.sweep.grid, RATE: list(rates)}
    sweep = experiment.sweep.model_copy(update={"grid": grid})
    changed = {"name": f"{experiment.name}-tuning", "sweep": sweep, "tuning": None}
    return experiment.model_copy(update=changed)


def parse_rates(text: str | None) -> list[float]:
    """``1e-3,1e-2`` as numbers; None gives ``RATES``. Raises ``UserError``."""
    if text is None:
        return list(RATES)
    try:
        rates = [float(part) for part in text.split(",")]
    except ValueError as error:
        raise UserError(f"--rates is {text!r}; it must be numbers such as 1e-3,1e-2") from error
    if not all(0 < rate < math.inf for rate in rates):
        raise UserError(f"--rates is {text!r}; every rate must be above 0")
    return sorted(set(rates))


def _point(row: Mapping[str, Any]) -> Point:
    accuracy = row["validation_accuracy"] if row["status"] == "finished" else None
    return Point(
        rate=row["learning_rate"],
        seed=row["seed"],
        validation_accuracy=0.0 if row["status"] == "diverged" else accuracy,
        status=row["status"],
    )
