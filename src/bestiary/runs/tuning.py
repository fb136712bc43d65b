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
from bestiary.runs.compiled_model import is_compiled
from bestiary.runs.config import Experiment
from bestiary.runs.owned import STRICT
from bestiary.runs.problems import user_error
from bestiary.runs.sweep import RATE

FILE = "tuning.yaml"
AND = " && "
RATES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
"""What is tried unless a person says otherwise."""
REACH = 0.9
"""Share of the best mean validation accuracy that a rate must reach to be in the window."""
NEAR = 0.05
"""Accuracy above guessing that is still called guessing."""


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

    @property
    def text(self) -> str:
        """``1e-3 to 1e-2``, ``1e-2 alone``: as people say it."""
        if self.low == self.high:
            return f"{rate_text(self.low)} alone"
        return f"{rate_text(self.low)} to {rate_text(self.high)}"


class Tuned(BaseModel):
    """The chosen rate of one model. validation_accuracy is the mean over seeds at that rate."""

    model_config = STRICT

    rate: float
    validation_accuracy: float
    window: Window
    points: list[Point]

    @property
    def means(self) -> dict[float, float]:
        """Rate → mean validation accuracy over the seeds that have one, ascending."""
        return mean_accuracies(self.points)

    @property
    def edge(self) -> str | None:
        """``lowest`` or ``highest`` where no rate beyond the best was tried."""
        rates = list(self.means)
        if len(rates) < 2 or self.rate not in (rates[0], rates[-1]):
            return None
        return "lowest" if self.rate == rates[0] else "highest"


class Tuning(BaseModel):
    """A tuning file: command that made it, the config it was made under, models by name.

    Where more than one command made it, they are joined by ``&&``, as a shell would run them.
    """

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

    def added_to(self, before: Tuning) -> Tuning:
        """This with the models that only ``before`` has, whose commands come first."""
        commands = before.command.split(AND)
        if self.command not in commands:
            commands.append(self.command)
        models = {**before.models, **self.models}
        return self.model_copy(update={"command": AND.join(commands), "models": models})


def read_tuning(path: Path) -> Tuning:
    """Read a tuning file; raises ``UserError``."""
    return Tuning.read(documents.read_mapping(path), str(path))


def tune(points: Sequence[Point]) -> Tuned:
    """Choose the rate with the best mean validation accuracy over seeds; the lower one of equals.

    Runs that failed have no say; a rate at which all failed cannot be chosen.
    """
    means = mean_accuracies(points)
    if not means:
        raise UserError("no run of the grid gave a validation accuracy, so no rate can be chosen")
    best = max(means, key=lambda rate: means[rate])
    return Tuned(
        rate=best,
        validation_accuracy=means[best],
        window=window_around(best, means),
        points=list(points),
    )


def mean_accuracies(points: Sequence[Point]) -> dict[float, float]:
    """Rate → mean validation accuracy over the seeds that have one, ascending."""
    by_rate: dict[float, list[float]] = {}
    for point in points:
        if point.validation_accuracy is not None:
            by_rate.setdefault(point.rate, []).append(point.validation_accuracy)
    return {rate: math.fsum(by_rate[rate]) / len(by_rate[rate]) for rate in sorted(by_rate)}


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


def cautions(tuning: Tuning, runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """What to know before a rate is used, a sentence a model; runs: rows of ``store.collect``.

    A best rate at the end of the grid may not be the best there is, and one at which a model
    guesses was chosen by chance.
    """
    chances: dict[str, list[float]] = {}
    for row in runs:
        if row["chance"] is not None:
            chances.setdefault(row["label"], []).append(row["chance"])
    said = []
    for name, tuned in tuning.models.items():
        known = chances.get(name)
        guessing = math.fsum(known) / len(known) if known else -math.inf
        if tuned.validation_accuracy <= guessing + NEAR:
            said.append(
                f"{name} has {tuned.validation_accuracy:.3f} at its best rate, where guessing has "
                f"{guessing:.3f}: it learned nothing that could choose a rate, so train longer."
            )
        elif tuned.edge:
            further = "lower" if tuned.edge == "lowest" else "higher"
            said.append(
                f"{rate_text(tuned.rate)} is the {tuned.edge} rate tried for {name}: a {further} "
                "one may do better."
            )
    return said


def over_rates(experiment: Experiment, rates: Sequence[float]) -> Experiment:
    """The experiment with the learning rate swept, under a name of its own.

    Without its compiled models, which have no rate; ``UserError`` where there are no others.
    """
    grid = {**experiment.sweep.grid, RATE: list(rates)}
    compared = experiment.sweep.models
    models = [model for model in compared if not is_compiled(model)]
    if compared and not models:
        raise UserError(
            "every model of this experiment is compiled, and none has a learning rate to find "
            "(accepted: one to be trained, such as --mixer attention)"
        )
    sweep = experiment.sweep.model_copy(update={"grid": grid, "models": models})
    changed = {"name": f"{experiment.name}-tuning", "sweep": sweep, "tuning": None}
    return experiment.model_copy(update=changed)


def rate_text(rate: float) -> str:
    """``3e-3``: a learning rate as people write it."""
    mantissa, _, exponent = f"{rate:.2e}".partition("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"


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
