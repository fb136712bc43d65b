"""What an executor tells of the runs it has under way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Started:
    """A run has a process of its own now."""

    run_id: str


@dataclass(frozen=True)
class Advanced:
    """A run has come to ``step`` of at most ``steps``."""

    run_id: str
    step: int
    steps: int
    loss: float
    accuracy: float
    examples_per_second: float


@dataclass(frozen=True)
class Ended:
    """A run is over for now, with its status and the reason where it is not ``finished``."""

    run_id: str
    status: str
    reason: str | None
    seconds: float


Event = Started | Advanced | Ended
Notify = Callable[[Event], None]
