"""From an experiment to its runs: models × cases × grid × seeds, each run once."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from bestiary.errors import UserError, did_you_mean
from bestiary.models.config import ModelConfig, as_spec
from bestiary.runs.compiled_model import CompiledModel, is_compiled, read_compiled
from bestiary.runs.config import Experiment, RunConfig, read_run

RATE = "training.learning_rate"
SECTIONS = ("task", "model", "training")


def expand(experiment: Experiment, rates: Mapping[str, float] | None = None) -> list[RunConfig]:
    """All runs of ``experiment`` in the order of models, cases, grid, seeds, none of them twice.

    rates: model name → learning rate of a tuning file, used where the rate is not swept.
    Raises ``UserError`` for a field that does not exist, a value it does not take, and a sweep
    that is empty.
    """
    points = list(_points(experiment))
    shared = _shared_names([run.model for run, _ in points])
    runs: dict[str, RunConfig] = {}
    for run, rate_is_swept in points:
        model, training = run.model, run.training
        if isinstance(model, CompiledModel):
            # It follows from the task alone, so that one seed is as good as many.
            runs.setdefault(run.run_id, run)
            continue
        if model.name in shared:
            model = dataclasses.replace(model, label=_full_name(model))
        if rates and not rate_is_swept and model.name in rates:
            training = dataclasses.replace(training, learning_rate=rates[model.name])
        for seed in experiment.seeds:
            # The parts are valid already, and validating is what a large sweep waits for.
            seeded = RunConfig.model_construct(
                task=run.task, model=model, training=training, seed=seed
            )
            runs.setdefault(seeded.run_id, seeded)
    return list(runs.values())


def _points(experiment: Experiment) -> Iterator[tuple[RunConfig, bool]]:
    """A run of the first seed for each model, case and combination; whether the rate is swept."""
    plain = experiment.plain()
    base = {name: plain[name] for name in SECTIONS}
    cases = experiment.sweep.cases or [{}]
    for number, case in enumerate(cases):
        for key in case:
            _check_section(key, f"sweep.cases.{number}")
    for variant, own_grid in _variants(experiment.sweep.models):
        combinations = list(_combinations({**experiment.sweep.grid, **own_grid}))
        for case, combined in itertools.product(cases, combinations):
            point = {**case, **combined}
            data = deepcopy(base)
            if is_compiled(variant):
                # It has a width of its own, and nothing else of a trained model's either.
                data["model"] = {}
                point = {key: value for key, value in point.items() if not _of_model(key)}
            data["model"].update(deepcopy(variant))
            for key, value in point.items():
                set_dotted(data, key, value)
            run = read_run({**data, "seed": experiment.seeds[0]}, _source(variant, point))
            yield run, RATE in point


def _full_name(model: ModelConfig) -> str:
    """The distinct mixers as a config names them, own ones with their modules."""
    return "+".join(dict.fromkeys(spec.name for spec in model.mixers))


def _shared_names(models: Sequence[ModelConfig | CompiledModel]) -> set[str]:
    """Names made of class names alone that stand for classes of more than one module."""
    full: dict[str, set[str]] = {}
    for model in models:
        if isinstance(model, ModelConfig) and not model.label:
            full.setdefault(model.name, set()).add(_full_name(model))
    return {name for name, meant in full.items() if len(meant) > 1}


def set_dotted(data: dict[str, Any], key: str, value: Any) -> None:
    """Put ``value`` at the dotted ``key`` of nested plain data, in place.

    A number in the key is an index of a list; a mixer given by its name alone becomes a mapping,
    so that ``model.mixers.0.order`` can be set. Missing mappings are made.
    """
    parts = key.split(".")
    if not all(parts):
        raise UserError(f"{key!r} is not a dotted key (accepted: such as model.d_model)")
    here: Any = data
    for depth, part in enumerate(parts[:-1]):
        place, known = _place(here, part, parts[: depth + 1])
        child = here[place] if known else None
        if isinstance(child, str) and (depth == 0 or _is_mixer(parts[: depth + 1])):
            child = {"name": child}
        if child is None:
            child = {}
        if not isinstance(child, (dict, list)):
            at = ".".join(parts[: depth + 1])
            raise UserError(f"cannot set {key!r}: {at} is {child!r}, not a mapping")
        here[place] = child
        here = child
    place, _ = _place(here, parts[-1], parts)
    here[place] = value


def _is_mixer(parts: Sequence[str]) -> bool:
    return len(parts) >= 2 and parts[-2] == "mixers"


def _place(here: Any, part: str, parts: Sequence[str]) -> tuple[Any, bool]:
    """The key or index of ``part`` in ``here`` and whether something is there."""
    if isinstance(here, list):
        at = ".".join(parts)
        if not part.isdecimal() or int(part) >= len(here):
            raise UserError(f"{at!r} is not in the list (accepted: 0 to {len(here) - 1})")
        return int(part), True
    return part, part in here


def variant_name(given: str | Mapping[str, Any]) -> str:
    """The name that tables give the model of an entry of ``sweep.models``."""
    if is_compiled(given):
        return read_compiled(given).name
    variant, _ = _read_variant(given, "sweep.models")
    mixers = variant.get("mixers")
    if variant.get("label") or not isinstance(mixers, list):
        return str(variant.get("label", ""))
    return "+".join(dict.fromkeys(as_spec(mixer).label for mixer in mixers))


def _variants(
    models: Sequence[str | Mapping[str, Any]],
) -> Iterator[tuple[dict[str, Any], dict[str, list[Any]]]]:
    """The fields in which each compared model differs, and the grid of its own."""
    if not models:
        yield {}, {}
    for number, given in enumerate(models):
        yield _read_variant(given, f"sweep.models.{number}")


def _read_variant(
    given: str | Mapping[str, Any], at: str
) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    if is_compiled(given):
        return read_compiled(given).plain(), {}
    variant = {"mixers": [given]} if isinstance(given, str) else dict(given)
    grid: Any = variant.pop("grid", {})
    if not isinstance(grid, Mapping):
        raise UserError(f"{at}.grid is {grid!r}; it must be a mapping of keys to lists")
    if "name" in variant:
        variant = {"mixers": [variant]}
    fields = [f.name for f in dataclasses.fields(ModelConfig)]
    for key in variant:
        if key not in fields:
            accepted = [*fields, "grid"]
            hint = did_you_mean(key, accepted)
            raise UserError(f"unknown key '{at}.{key}'{hint} (accepted: {', '.join(accepted)})")
    return variant, dict(grid)


def _combinations(grid: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for key, values in grid.items():
        _check_section(key, "sweep.grid")
        if not isinstance(values, list) or not values:
            raise UserError(
                f"sweep.grid.{key} is {values!r}; it must be a list of one value or more"
            )
    for values in itertools.product(*grid.values()):
        yield dict(zip(grid, values, strict=True))


def _of_model(key: str) -> bool:
    return key.split(".")[0] == "model"


def _check_section(key: str, at: str) -> None:
    if key.split(".")[0] not in SECTIONS:
        hint = did_you_mean(key.split(".")[0], SECTIONS)
        raise UserError(
            f"{at} cannot vary {key!r}{hint} (accepted: fields of {', '.join(SECTIONS)}, "
            "such as model.d_model)"
        )


def _source(variant: Mapping[str, Any], point: Mapping[str, Any]) -> str:
    shown = {**{f"model.{key}": value for key, value in variant.items()}, **point}
    where = ", ".join(f"{key}={value!r}" for key, value in shown.items())
    return f"sweep at {where}" if where else "config"
