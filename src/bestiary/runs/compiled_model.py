"""A compiled model as data: a solver, its options and what tables call it.

It stands where a trained model's ``ModelConfig`` stands in a run. It has no width and no layers of
a person's choice, no learning rate and no seed: what it computes follows from the task.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bestiary.errors import UserError, did_you_mean
from bestiary.runs import documents
from bestiary.solvers.registry import SolverSpec, solver_defaults

PREFIX = "compiled:"
"""What the name of a compiled model begins with, wherever it is shown, and no other's."""

KEY = "compiled"
FIELDS = (KEY, "options", "label")


@dataclass(frozen=True)
class CompiledModel:
    """compiled: the solver, by name or ``package.module:Class``. label: what tables call it."""

    compiled: str
    options: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""

    @property
    def name(self) -> str:
        """``compiled:`` and the label, or the solver with the options that were given."""
        solver = self.compiled.rpartition(":")[2]
        given = [f"{k}={'null' if v is None else v}" for k, v in self.options.items()]
        return PREFIX + (self.label or ",".join([solver, *given]))

    @property
    def spec(self) -> SolverSpec:
        """What makes the solver."""
        return SolverSpec(self.compiled, self.options)

    def plain(self) -> dict[str, Any]:
        """The YAML form."""
        return {KEY: self.compiled, "options": dict(self.options), "label": self.label}

    def resolved(self) -> dict[str, Any]:
        """All that can change what it computes, options that were not given with their defaults."""
        options = {**solver_defaults(self.compiled), **self.options}
        return {KEY: self.compiled, "options": options}


def is_compiled(given: Any) -> bool:
    """Whether an entry of ``sweep.models`` or a run's ``model`` is a compiled one."""
    if isinstance(given, str):
        return given.startswith(PREFIX)
    return isinstance(given, CompiledModel) or (isinstance(given, Mapping) and KEY in given)


def read_compiled(given: str | Mapping[str, Any] | CompiledModel) -> CompiledModel:
    """The model of ``compiled:NAME,option=value`` or of the YAML form; raises ``UserError``."""
    if isinstance(given, CompiledModel):
        return given
    if isinstance(given, str):
        return parse_compiled(given)
    for key in given:
        if key not in FIELDS:
            hint = did_you_mean(str(key), FIELDS)
            raise UserError(
                f"unknown key {key!r} of a compiled model{hint} (accepted: {', '.join(FIELDS)})"
            )
    solver, options, label = given[KEY], given.get("options") or {}, given.get("label") or ""
    if not isinstance(solver, str) or not isinstance(label, str):
        wrong = solver if not isinstance(solver, str) else label
        raise UserError(f"{wrong!r} is no name of a compiled model (accepted: text)")
    if not isinstance(options, Mapping):
        raise UserError(f"options is {options!r}; it must be a mapping of options to values")
    return CompiledModel(solver.removeprefix(PREFIX), dict(options), label)


def parse_compiled(text: str) -> CompiledModel:
    """``compiled:all-pairs,repeat=first``: the solver, then its options, their values in YAML."""
    solver, *options = text.removeprefix(PREFIX).split(",")
    given: dict[str, Any] = {}
    for option in options:
        name, value = documents.split_setting(
            option, f"{option!r} in {text!r} sets no option (accepted: {PREFIX}NAME,option=value)"
        )
        given[name] = documents.parse(value, f"the value of {name} in {text!r}")
    return CompiledModel(solver.strip(), given)
