"""What is reported: one row a point and test segment, at the rate chosen on validation.

A *point* is a config without its seed and learning rate. Its rate is the one with the best mean
validation accuracy over seeds; test numbers are read at that rate alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bestiary.report.mixer_kinds import is_compiled, layers_of
from bestiary.runs.config import WITHOUT_EFFECT
from bestiary.runs.tuning import Point as Trial
from bestiary.runs.tuning import Tuned, tune

RATE = "training.learning_rate"
NOT_OF_THE_POINT = frozenset(
    {RATE, "model.label", *(f"training.{name}" for name in WITHOUT_EFFECT)}
)
"""Config fields in which the runs of one point may differ."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Rate:
    """The runs of a point at one learning rate, by seed; a compiled model has none."""

    learning_rate: float | None
    runs: tuple[Row, ...]

    @property
    def finished(self) -> tuple[Row, ...]:
        """Runs that ended with a result."""
        return tuple(run for run in self.runs if run["status"] == "finished")


@dataclass(frozen=True)
class Point:
    """A config without its seed and learning rate, with all its runs by rate, ascending.

    d_model: None for a compiled model that was never built.
    """

    number: int
    mixer: str
    variant: str
    d_model: int | None
    rates: tuple[Rate, ...]

    @property
    def label(self) -> str:
        """The mixer, with what else sets it apart from others of that name."""
        return f"{self.mixer} ({self.variant})" if self.variant else self.mixer

    @property
    def compiled(self) -> bool:
        """Whether its weights were set by hand: it has one run, and a width of its own."""
        return is_compiled(self.mixer)

    @property
    def layers(self) -> tuple[str, ...]:
        """The mixers of its layers, as its config names them."""
        return layers_of(self.runs[0])

    @property
    def runs(self) -> tuple[Row, ...]:
        """All runs, at every rate."""
        return tuple(run for rate in self.rates for run in rate.runs)

    @cached_property
    def tuned(self) -> Tuned | None:
        """The choice of the rate, made as ``bestiary tune`` makes it; None before a run ended.

        None too for a compiled model. A run that diverged counts as 0: a rate that breaks a seed
        must not win by its survivors.
        """
        trials = [trial_of(run) for run in self.runs if run["learning_rate"] is not None]
        if all(trial.validation_accuracy is None for trial in trials):
            return None
        return tune(trials)

    @property
    def chosen(self) -> Rate:
        """The rate with the best mean validation accuracy; the lowest while none has a result."""
        if self.tuned is None:
            return self.rates[0]
        return next(rate for rate in self.rates if rate.learning_rate == self.tuned.rate)

    def count(self, *statuses: str) -> int:
        """How many runs, at any rate, have one of ``statuses``."""
        return sum(run["status"] in statuses for run in self.runs)


def trial_of(run: Row) -> Trial:
    """A run as the choice of a rate sees it."""
    score = run["validation_accuracy"] if run["status"] == "finished" else None
    return Trial(
        rate=run["learning_rate"],
        seed=run["seed"],
        validation_accuracy=0.0 if run["status"] == "diverged" else score,
        status=run["status"],
    )


def config_fields(run: Row) -> dict[str, str]:
    """The config fields that make a run's point, by their dotted names, as text."""
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in run.items()
        if "." in name and name not in NOT_OF_THE_POINT
    }


def variant_of(fields: Mapping[str, str], others: Sequence[Mapping[str, str]]) -> str:
    """``n_layers=4, order=3``: the fields that differ among points of one mixer and width."""
    differing = [name for name in fields if len({other[name] for other in others}) > 1]
    return ", ".join(f"{name.rpartition('.')[2]}={fields[name]}" for name in differing)


def find_points(runs: Sequence[Row]) -> list[Point]:
    """Group runs into points, in the order in which mixers first appear, then by width."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for run in runs:
        # ``point`` is missing where a class of the user's can no longer be imported.
        key = (run["label"], run.get("point") or json.dumps(config_fields(run), sort_keys=True))
        groups.setdefault(key, []).append(run)
    order = list(dict.fromkeys(run["label"] for run in runs))
    members = sorted(groups.values(), key=lambda group: place_of(group[0], order))
    fields = [config_fields(group[0]) for group in members]
    names = [(group[0]["label"], group[0]["d_model"]) for group in members]
    return [
        Point(
            number=number,
            mixer=names[number][0],
            variant=variant_of(
                fields[number],
                [f for f, name in zip(fields, names, strict=True) if name == names[number]],
            ),
            d_model=names[number][1],
            rates=tuple(rates_of(group)),
        )
        for number, group in enumerate(members)
    ]


def place_of(run: Row, labels: Sequence[str]) -> tuple[Any, ...]:
    """What points are ordered by: mixer, width, then the other fields, shorter values first."""
    fields = config_fields(run).values()
    width = run["d_model"] or 0
    return (labels.index(run["label"]), width, [(len(value), value) for value in fields])


def rates_of(runs: Iterable[Row]) -> list[Rate]:
    """Runs by learning rate, ascending; within a rate by seed."""
    by_rate: dict[float | None, list[Row]] = {}
    for run in runs:
        by_rate.setdefault(run["learning_rate"], []).append(run)
    return [
        Rate(rate, tuple(sorted(by_rate[rate], key=lambda run: run["seed"])))
        for rate in sorted(by_rate, key=lambda rate: rate or 0.0)
    ]


def trained_widths(points: Iterable[Point]) -> list[int]:
    """The widths that were asked for, ascending; a compiled model has its own."""
    return sorted({p.d_model for p in points if not p.compiled and p.d_model is not None})
