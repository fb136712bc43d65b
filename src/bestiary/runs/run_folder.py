"""The folder that says all there is to know of one training; one process writes it at a time."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import fcntl
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import TypeAdapter, ValidationError

from bestiary.atomic import read_json, write_json, write_parquet
from bestiary.errors import unknown_name
from bestiary.runs import documents
from bestiary.runs.config import RunConfig, read_run
from bestiary.runs.measurements import HISTORY_SCHEMA, RESULTS_SCHEMA, rows_frame
from bestiary.runs.summary import checked_summary

Status = Literal["waiting", "running", "finished", "diverged", "failed", "interrupted"]
"""``waiting`` is a run that nobody has started; it is never written to a file."""

DONE: tuple[Status, ...] = ("finished", "diverged")
"""What is never run again."""


def check_status(name: str | None) -> str | None:
    """``name`` when it is a status (or None); raises ``UserError`` that lists them."""
    if name is not None and name not in get_args(Status):
        raise unknown_name("status", name, get_args(Status))
    return name


class Busy(Exception):
    """Another process holds the run's lock: it is being trained right now."""


@dataclass(frozen=True)
class RunStatus:
    """How far a run has come. seconds is training time over all its attempts."""

    status: Status = "waiting"
    step: int = 0
    steps: int | None = None
    seconds: float = 0.0
    reason: str | None = None
    started: str | None = None
    ended: str | None = None


_STATUS = TypeAdapter(RunStatus)


def now() -> str:
    """The time as ISO 8601 in UTC, to the second."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


@dataclass(frozen=True)
class RunFolder:
    """Reads and writes the files of one run; the format is in docs/architecture.md."""

    path: Path

    @property
    def checkpoint(self) -> Path:
        """Where training keeps what it needs to go on."""
        return self.path / "checkpoint"

    @property
    def log(self) -> Path:
        """Tracebacks and remarks, one attempt after the other."""
        return self.path / "log.txt"

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the run for this process; raises ``Busy`` at once when another holds it.

        The lock is the operating system's, so it ends with the process however that ends.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / "lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise Busy(self.path.name) from error
            yield

    def is_locked(self) -> bool:
        """Whether some process is training this run now."""
        try:
            descriptor = os.open(self.path / "lock", os.O_RDONLY)
        except OSError:
            return False
        try:
            # A shared try-lock: two observers do not see each other as the trainer.
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def status(self) -> RunStatus:
        """The status as it is, not as it was left: ``running`` without a process is not running."""
        try:
            status = _STATUS.validate_python(read_json(self.path / "status.json"))
        except ValidationError:
            return RunStatus()
        if status.status == "running" and not self.is_locked():
            reason = "the process ended without a word (killed, or the machine went down)"
            return dataclasses.replace(status, status="interrupted", reason=reason)
        return status

    def write_status(self, status: RunStatus) -> None:
        """Replace status.json."""
        write_json(self.path / "status.json", dataclasses.asdict(status))

    def record_end(self, run: RunConfig, status: Status, reason: str) -> RunStatus:
        """Say for a process that could not how its run ended; returns the status that holds.

        Where the disk is full or another process has the run by now, nothing is written.
        """
        with contextlib.suppress(OSError, Busy), self.locked():
            found = self.status()
            if found.status in DONE:
                return found
            # It may have ended before it wrote anything; a run without a config is none.
            self.write_config(run)
            ended = dataclasses.replace(found, status=status, reason=reason, ended=now())
            self.write_status(ended)
            return ended
        return RunStatus(status=status, reason=reason)

    def config(self) -> RunConfig:
        """The run's config; raises ``UserError`` when there is none or it does not read."""
        path = self.path / "config.yaml"
        return read_run(documents.read_mapping(path), str(path))

    def write_config(self, run: RunConfig) -> None:
        """Write config.yaml, which names every field."""
        documents.write(self.path / "config.yaml", run.model_dump(mode="python"))

    def write_environment(self, environment: Mapping[str, Any]) -> None:
        """Write environment.json."""
        write_json(self.path / "environment.json", dict(environment))

    def write_history(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write history.parquet, one row a measurement."""
        write_parquet(self.path / "history.parquet", rows_frame(rows, HISTORY_SCHEMA))

    def write_results(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write results.parquet, one row a slice of a split."""
        write_parquet(self.path / "results.parquet", rows_frame(rows, RESULTS_SCHEMA))

    def write_summary(self, summary: Mapping[str, Any]) -> None:
        """Write summary.json."""
        write_json(self.path / "summary.json", dict(summary))

    def summary(self) -> dict[str, Any]:
        """What summary.json holds, or nothing while there is none."""
        return checked_summary(read_json(self.path / "summary.json"))

    def note(self, text: str) -> None:
        """Append to the log; never raises, for it is written while other things go wrong."""
        with contextlib.suppress(OSError), self.log.open("a", encoding="utf-8") as file:
            file.write(f"--- {now()}\n{text.rstrip()}\n")
