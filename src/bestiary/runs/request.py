"""From what a person typed (a file or preset, overrides, mixers, seeds) to an ``Experiment``.

What reads an experiment loads torch, and is imported where it is used: wrong names are told before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bestiary.errors import UserError
from bestiary.runs import documents
from bestiary.runs.compiled_model import PREFIX, is_compiled, read_compiled
from bestiary.runs.preset import preset_names, preset_path
from bestiary.solvers.registry import SOLVERS, check_named

if TYPE_CHECKING:
    from bestiary.runs.config import Experiment

GRID = "sweep.grid."

MOST_SEEDS = 10_000
"""Of one experiment; a larger number was meant to be a seed."""


def read_experiment(
    config: Path | None = None,
    preset: str | None = None,
    overrides: Sequence[str] = (),
    mixers: Sequence[str] = (),
    seeds: str | None = None,
    workers: int | None = None,
    models: Sequence[str] = (),
    trained: bool = True,
) -> Experiment:
    """The experiment of ``config`` or ``preset`` with what the other arguments change in it.

    overrides: ``dotted.key=value``, the value in YAML. mixers: the models to compare instead of
    the config's, each a mixer or several for a hybrid's layers (``short_conv,attention``); one
    that the config compares too keeps the options it has there. seeds: how many (``3``) or which
    (``0,4,7``). models: compiled ones, ``compiled:NAME,option=value``, beside the others, or alone
    where ``trained`` is False. Raises ``UserError``.
    """
    if not trained and (mixers or not models):
        given = f"--mixer {mixers[0]} was" if mixers else "no --model was"
        raise UserError(
            f"--no-mixers compares compiled models alone, but {given} given (accepted: --model "
            f"{PREFIX}NAME)"
        )
    path, data = _base(config, preset)
    compiled = [_compiled(one) for one in models]
    changes = [parse_override(text) for text in overrides]
    numbers = None if seeds is None else parse_seeds(seeds)
    source = str(config) if config else f"preset {preset!r}"
    data.setdefault("name", path.stem)
    if isinstance(data.get("tuning"), str):
        data["tuning"] = str(path.parent / data["tuning"])
    experiment = _valid(data, source)
    if mixers or models:
        sweep = _section(data, "sweep")
        # A config that compares nothing has the one model of its section ``model``.
        compared = sweep.get("models") or [{}]
        chosen = [_chosen(one, compared) for one in mixers] if mixers else compared
        sweep["models"] = [*(chosen if trained else []), *compiled]
    _override(data, changes)
    if numbers is not None:
        data["seeds"] = numbers
    if workers is not None:
        _section(data, "executor", {"name": "local"})["workers"] = workers
    from bestiary.runs.config import Experiment

    # What was valid before the command line changed it is the command line's mistake.
    return Experiment.read(data, source if experiment is None else "command line")


def _base(config: Path | None, preset: str | None) -> tuple[Path, dict[str, Any]]:
    if (config is None) == (preset is None):
        given = "neither a config file nor" if config is None else "both a config file and"
        raise UserError(
            f"{given} --preset {'was' if config is None else 'were'} given (accepted: one of them, "
            f"--preset with {', '.join(preset_names())})"
        )
    path = config if config is not None else preset_path(str(preset))
    return path, documents.read_mapping(path)


def _valid(data: Mapping[str, Any], source: str) -> Experiment | None:
    from bestiary.runs.config import Experiment

    try:
        return Experiment.read(data, source)
    except UserError:
        return None


def _section(
    data: dict[str, Any], name: str, default: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The mapping at ``name``, made when missing and when only its name was given."""
    given = data.get(name)
    if isinstance(given, str):
        given = {"name": given}
    if not isinstance(given, dict):
        given = dict(default or {})
    data[name] = given
    return given


def _chosen(mixers: str, compared: Sequence[Any]) -> Any:
    if is_compiled(mixers):
        raise UserError(f"--mixer {mixers!r} is a compiled model (accepted: --model {mixers})")
    if "{" in mixers:
        raise UserError(
            f"--mixer {mixers!r} is a mapping (accepted: a name, or module:Class; options are set "
            f"by --set 'sweep.models=[{mixers}]')"
        )
    names = [name.strip() for name in mixers.split(",")]
    if not all(names):
        raise UserError(f"--mixer {mixers!r} names no mixer (accepted: a name, or module:Class)")
    from bestiary.runs.sweep import variant_name

    for variant in compared:
        if variant_name(variant) in (mixers, "+".join(names)):
            return deepcopy(variant)
    return {"mixers": names}


def _compiled(text: str) -> dict[str, Any]:
    """The entry of ``sweep.models`` for a --model, in its YAML form."""
    if not is_compiled(text):
        solver = text.partition(",")[0].strip()
        meant = f"; did you mean {PREFIX + text!r}?" if ":" in text or solver in SOLVERS else ""
        raise UserError(
            f"--model {text!r} is no compiled model{meant} (accepted: {PREFIX}NAME[,option=value], "
            f"with NAME one of {', '.join(sorted(SOLVERS))} or package.module:Class; a mixer is "
            "given by --mixer)"
        )
    model = read_compiled(text)
    check_named(model.compiled)
    return model.plain()


def _override(data: dict[str, Any], overrides: Sequence[tuple[str, Any]]) -> None:
    from bestiary.runs.sweep import RATE, set_dotted

    for key, value in overrides:
        if key.startswith(GRID):
            # The grid's keys are dotted themselves.
            grid = _section(_section(data, "sweep"), "grid")
            grid[key.removeprefix(GRID)] = value
        else:
            set_dotted(data, key, value)
    keys = [key for key, _ in overrides]
    if RATE in keys and "tuning" not in keys:
        # A rate that was asked for by name is the rate that is used.
        data["tuning"] = None


def parse_override(text: str) -> tuple[str, Any]:
    """``model.d_model=128`` as key and value, the value read as YAML."""
    key, value = documents.split_setting(
        text, f"--set {text!r} sets nothing (accepted: such as --set model.d_model=128)"
    )
    return key, documents.parse(value, f"the value of --set {key}")


def parse_seeds(text: str) -> list[int]:
    """``3`` as [0, 1, 2], ``0,4,7`` as [0, 4, 7]; a trailing comma makes one number a seed."""
    parts = [part.strip() for part in text.split(",")]
    numbers = [part for part in parts if part]
    if not numbers or not all(part.isdecimal() for part in numbers):
        raise UserError(f"--seeds is {text!r}; it must be how many (3) or which (0,4,7)")
    if len(parts) > 1:
        return [int(part) for part in numbers]
    if int(numbers[0]) == 0:
        raise UserError("--seeds is 0, which trains nothing; it must be at least 1")
    if len(numbers[0]) > len(str(MOST_SEEDS)) or int(numbers[0]) > MOST_SEEDS:
        raise UserError(
            f"--seeds is {text}; it must be at most {MOST_SEEDS}, or a seed with a comma behind it"
        )
    return list(range(int(numbers[0])))
