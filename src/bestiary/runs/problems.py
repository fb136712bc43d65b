"""What pydantic found wrong with a config, as one sentence a person can act on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pydantic import ValidationError

from bestiary.errors import UserError, did_you_mean

Accepted = Callable[[Sequence[str]], Sequence[str]]
"""The keys accepted under a dotted path; empty where anything is."""


def user_error(error: ValidationError, source: str, accepted: Accepted) -> UserError:
    """The first problem of ``error`` as a ``UserError`` that names the key as ``a.b.c``.

    source: where the config came from, named in the sentence.
    """
    # A misspelt key is the cause of whatever else is missing, so it comes first.
    problems = sorted(error.errors(), key=lambda problem: problem["type"] != "extra_forbidden")
    said = _sentence(problems[0], accepted)
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return UserError(f"{source}: {said}{more}")


def _sentence(problem: Any, accepted: Accepted) -> str:
    path = [str(part) for part in problem["loc"] if part not in _union_tags(problem)]
    key = ".".join(path)
    kind = problem["type"]
    if kind == "extra_forbidden":
        names = sorted(accepted(path[:-1]))
        hint = did_you_mean(path[-1], names)
        return f"unknown key {key!r}{hint} (accepted: {', '.join(names)})"
    if kind == "missing":
        return f"{key} is missing"
    if kind in ("value_error", "assertion_error"):
        reason = str(problem.get("ctx", {}).get("error", problem["msg"]))
        # A component names its own field; the person wrote the dotted key.
        return f"{key}.{reason}" if _names_a_field(reason, accepted(path)) else f"{key}: {reason}"
    if kind == "too_short":
        return f"{key} is empty; it must have at least one value"
    if kind == "union_tag_invalid":
        return (
            f"unknown {key} {problem['ctx']['tag']!r} (accepted: {problem['ctx']['expected_tags']})"
        )
    wanted = _MAPPING if kind in _MAPPING_KINDS else problem["msg"].removeprefix("Input should be ")
    return f"{key or 'the config'} is {_shown(problem['input'])}; it must be {wanted}"


_MAPPING = "a mapping of keys to values"
_MAPPING_KINDS = ("dict_type", "model_type", "model_attributes_type", "union_tag_not_found")


def _names_a_field(reason: str, fields: Sequence[str]) -> bool:
    return reason.split(" ", 1)[0] in fields


def _union_tags(problem: Any) -> tuple[str, ...]:
    """Parts of a location that name an alternative of a union and not a key of the file."""
    loc = problem["loc"]
    if len(loc) > 1 and loc[0] == "executor":
        return ("local", "ray")
    return ()


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else shown[:77] + "..."
