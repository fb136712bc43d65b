"""Names for the tasks that come with Bestiary; an import path always works in a name's place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from typing import Any, cast

from bestiary.errors import UserError, unknown_name
from bestiary.imports import check_options, load_class
from bestiary.tasks.protocol import SPLITS, Task
from bestiary.tasks.segments import as_segments

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
    """Make the task from ``{"name": …, **options}``; options are the fields of its config.

    What a segment has, such as ``length`` and ``pairs``, may stand beside them where there is one
    segment. Raises ``UserError``.
    """
    options = dict(spec)
    name = options.pop("name", None)
    if not isinstance(name, str):
        raise UserError(f"a task needs a name, not {name!r} (accepted: {', '.join(TASKS)})")
    cls = task_class(name)
    of_segment = _segment_options(cls)
    check_options(cls, options, f"task {name!r}", also=of_segment)
    given = {key: options.pop(key) for key in of_segment if key in options}
    if given:
        options["segments"] = [_one_segment(cls, options, given)]
    return cast(Task, cls(**options))


def _segment_options(cls: type) -> tuple[str, ...]:
    """The fields of a segment that say how long and how hard it is, none of them the task's own."""
    kind = getattr(cls, "segment_kind", None)
    if kind is None or not is_dataclass(cls):
        return ()
    own = {*SPLITS, *(field.name for field in fields(cls))}
    return tuple(field.name for field in fields(kind) if field.name not in own)


def _one_segment(cls: Any, options: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The segment of a task with what is ``given`` in its place."""
    segments = as_segments(options.get("segments", cls.segments), cls.segment_kind)
    if len(segments) > 1:
        raise UserError(
            f"{next(iter(given))} is set for one segment, but there are {len(segments)} (accepted: "
            f"segments alone, such as [{cls.segment_kind.example}])"
        )
    return {**asdict(segments[0]), **given}


def task_spec(task: Task) -> dict[str, Any]:
    """The mapping from which ``build_task`` makes an equal task, of plain values.

    Fields that are no part of the config's identity (a cache) are left out.
    """
    name = name_of_task(type(task))
    if not is_dataclass(task) or isinstance(task, type):
        return {"name": name}
    compared = {field.name for field in fields(task) if field.compare}
    return {"name": name} | {k: v for k, v in asdict(task).items() if k in compared}
