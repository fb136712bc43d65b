"""The shape of summary.json, by which a file that something else wrote is told from one of ours."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from bestiary.runs.owned import section_of
from bestiary.tasks.duplicates import Duplicates
from bestiary.tasks.protocol import StreamSegment


class Summary(BaseModel):
    """What readers rely on; a run of an earlier version may have less, and any may have more."""

    model_config = ConfigDict(strict=True, extra="allow")

    state_size: int | None = None
    state_sizes: dict[str, int] | None = None
    parameters: int | None = None
    segments: dict[str, list[section_of(StreamSegment)]] | None = None  # type: ignore[valid-type]
    duplicates: list[section_of(Duplicates)] | None = None  # type: ignore[valid-type]


def checked_summary(data: Any) -> dict[str, Any]:
    """``data`` where it is a summary, else nothing."""
    try:
        Summary.model_validate(data)
    except ValidationError:
        return {}
    return dict(data)
