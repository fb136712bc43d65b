"""What an executor is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bestiary.runs.events import Notify
from bestiary.runs.job import Job


class Executor(Protocol):
    """Trains every job, each failing alone; results are in the run folders."""

    def prepare(self) -> None:
        """Begin to start what takes time, while the caller does something else."""
        ...

    def execute(self, jobs: Sequence[Job], notify: Notify) -> None:
        """Train all jobs and tell ``notify`` how they go.

        On KeyboardInterrupt the running ones save a checkpoint and end before it is raised on.
        """
        ...
