"""Names for the solvers that come with Bestiary; an import path always works in a name's place."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from bestiary.errors import UserError, unknown_name
from bestiary.imports import check_options, load_class, not_made
from bestiary.solvers.protocol import Solver
from bestiary.tasks.protocol import Task

SOLVERS: dict[str, str] = {
    "all-pairs": "bestiary.solvers.all_pairs:AllPairs",
    "attention": "bestiary.solvers.attention:AttentionSolver",
    "autocorrelation": "bestiary.solvers.autocorrelation:Autocorrelation",
    "lookup": "bestiary.solvers.lookup:Lookup",
    "selective-copy": "bestiary.solvers.selective_copy:SelectiveCopySolver",
    "sort": "bestiary.solvers.sort:SortSolver",
}


@dataclass(frozen=True)
class SolverSpec:
    """A solver by name or import path, with the options its constructor gets."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)


def solver_class(name: str) -> type:
    """The class behind a registered name or ``package.module:Class``.

    Raises ``UserError`` for a name that is not known and for a class that builds no model.
    """
    if ":" in name:
        loaded = load_class(name)
        if not callable(getattr(loaded, "build", None)):
            raise UserError(
                f"solver {name!r} is a {loaded.__name__} without build(); a solver is made as "
                "Class(task, **options), and build() gives its model"
            )
        return loaded
    check_named(name)
    return load_class(SOLVERS[name])


def check_named(name: str) -> None:
    """``UserError`` for a name that is not known; what it stands for is not loaded yet."""
    if ":" not in name and name not in SOLVERS:
        raise unknown_name("compiled model", name, [*SOLVERS, "package.module:Class"])


def build_solver(spec: SolverSpec, task: Task) -> Solver:
    """Make the solver for a task; its model is not built yet.

    Raises ``UserError`` for an option the constructor does not have, listing those it has, for a
    task that it cannot solve, and for whatever else keeps it from being made.
    """
    made, what = solver_class(spec.name), f"compiled model {spec.name!r}"
    check_options(made, spec.options, what, skip=("task",))
    try:
        return cast(Solver, made(task, **spec.options))
    except (UserError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        raise not_made(what, "task", spec.options, error) from error


def solver_defaults(name: str) -> dict[str, Any]:
    """The options of a solver with their defaults."""
    parameters = inspect.signature(solver_class(name)).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}
