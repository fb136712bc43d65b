"""Names for the tasks that come with Bestiary; an import path always works in a name's place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from typing import Any, cast

from bestiary.errors import UserError, unknown_name
from bestiary.imports import check_options, load_class
from bestiary.tasks.protocol import Task

TASKS: dict[str, str] = {
    "associative-recall": "bestiary.tasks.associative_recall:AssociativeRecall",
    "induction": "bestiary.tasks.induction:Induction",
    "mqar": "bestiary.tasks.mqar:MQAR",
    "selective-copy": "bestiary.tasks.selective_copy:SelectiveCopy",
}


def task_class(name: str) -> type:
    """The class behind a registered name or ``package.module:Class``."""
    if ":" in name:
        return load_class(name)
    if name not in TASKS:
        raise unknown_name("task", name, [*TASKS, "package.module:Class"])
    return load_class(TASKS[name])


def name_of_task(cls: type) -> str:
    """The registered name of a class, or its import path."""
    path = f"{cls.__module__}:{cls.__qualname__}"
    return next((known for known, where in TASKS.items() if where == path), path)


def build_task(spec: Mapping[str, Any]) -> Task:
    """Make the task from ``{"name": …, **options}``; options are the fields of its config."""
    options = dict(spec)
    name = options.pop("name", None)
    if not isinstance(name, str):
        raise UserError(f"a task needs a name, not {name!r} (accepted: {', '.join(TASKS)})")
    cls = task_class(name)
    check_options(cls, options, f"task {name!r}")
    return cast(Task, cls(**options))


def task_spec(task: Task) -> dict[str, Any]:
    """The mapping from which ``build_task`` makes an equal task, of plain values.

    Fields that are no part of the config's identity (a cache) are left out.
    """
    name = name_of_task(type(task))
    if not is_dataclass(task) or isinstance(task, type):
        return {"name": name}
    compared = {field.name for field in fields(task) if field.compare}
    return {"name": name} | {k: v for k, v in asdict(task).items() if k in compared}
