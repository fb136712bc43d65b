"""The task that a person names on a command line, with the numbers of one segment beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bestiary.runs import documents
from bestiary.tasks.protocol import Task
from bestiary.tasks.registry import build_task

SMALL: Mapping[str, Mapping[str, Any]] = {
    "mqar": {"vocab_size": 16, "length": 16, "pairs": 4},
    "associative-recall": {"vocab_size": 16, "pairs": 6},
    "induction": {"vocab_size": 16, "length": 16},
    "selective-copy": {"vocab_size": 16, "length": 16, "items": 4},
}
"""So few positions and bits that every number of a layer can be looked at."""


def read_task(text: str | None, seed: int | None = None) -> Task:
    """``mqar,length=32,pairs=2`` or the options alone; a small MQAR where nothing is said.

    Values are YAML. What a segment has, such as ``length`` and ``pairs``, stands for one segment.
    seed: in the place of the task's own. Raises ``UserError``.
    """
    parts = [part for part in (text or "").split(",") if part.strip()]
    name = parts.pop(0).strip() if parts and "=" not in parts[0] else "mqar"
    options: dict[str, Any] = {}
    for part in parts:
        key, value = documents.split_setting(
            part, f"{part!r} in --task {text!r} sets no option (accepted: NAME,option=value)"
        )
        options[key] = documents.parse(value, f"the value of {key} in --task")
    if seed is not None:
        options["seed"] = seed
    if name in SMALL and "segments" not in options:
        options = {**SMALL[name], **options}
    return build_task({"name": name, **options})
