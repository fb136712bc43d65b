"""Runs as tasks of a Ray cluster whose machines share a file system with this one."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bestiary.errors import UserError
from bestiary.runs.events import Advanced, Ended, Notify, Started
from bestiary.runs.job import Job
from bestiary.runs.run_folder import RunFolder, RunStatus

if TYPE_CHECKING:
    from bestiary.training.history import Progress

LOOK_AGAIN = 1.0
"""Seconds between two looks at progress, and at a run that another process is training."""
REACH_WITHIN = 10.0
"""Seconds that a cluster has to answer at all."""
GRACE = 60.0
"""Seconds a run has to save its checkpoint after it was told to stop."""


class RayTasks:
    """One task a run. address: see ``ray.init``; workers: runs at once (None: by free cores)."""

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        try:
            # Ray 2.60 would reinstall the project for its workers when it is started under uv.
            os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
            import ray
        except ImportError as error:
            raise UserError(
                "the executor 'ray' needs the package ray, which is not installed "
                "(accepted: pip install 'bestiary[ray]', or executor: local)"
            ) from error
        self._ray: Any = ray
        self.address = address
        self.workers = workers

    def prepare(self) -> None:
        """Nothing can be started beside what the caller does."""

    def execute(self, jobs: Sequence[Job], notify: Notify) -> None:
        """Train all jobs; see ``Executor``."""
        ours = not self._ray.is_initialized()
        if ours:
            self._connect()
        try:
            _Cluster(self._ray, self.workers, notify).train(jobs)
        finally:
            if ours:
                self._ray.shutdown()

    def _connect(self) -> None:
        if self.address is not None:
            expect_listener(self.address)
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        if self.address is None:
            options["include_dashboard"] = False
            # Runs at once are workers here, whatever the machine has: as with local processes.
            if self.workers:
                options["num_cpus"] = self.workers
        handler = signal.getsignal(signal.SIGTERM)
        try:
            self._ray.init(address=self.address, **options)
            if threading.current_thread() is threading.main_thread():
                # Ray's own handler exits at once; ours lets the runs save first.
                signal.signal(signal.SIGTERM, handler)
        except (ConnectionError, RuntimeError, ValueError) as error:
            where = f"at {self.address!r}" if self.address else "on this machine"
            said = " ".join(str(error).split())[:200]
            raise UserError(f"cannot reach Ray {where} (executor.address): {said}") from error


def expect_listener(address: str) -> None:
    """Raise ``UserError`` when nothing listens at ``host:port``; Ray would try for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not (colon and host and port.isdecimal()):
        if address == "auto":
            return
        raise UserError(
            f"executor.address is {address!r}, which is no address of Ray "
            "(accepted: auto, host:port or ray://host:port)"
        )
    try:
        socket.create_connection((host, int(port)), timeout=REACH_WITHIN).close()
    except (OSError, OverflowError) as error:
        raise UserError(f"cannot reach Ray at {address!r} (executor.address): {error}") from error


class _Cluster:
    """The tasks under way on a connected cluster."""

    def __init__(self, ray: Any, workers: int | None, notify: Notify) -> None:
        self._ray = ray
        self._notify = notify
        self._limit = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._task = ray.remote(max_retries=0)(train_job)
        self._board = ray.remote(num_cpus=0)(Board).remote()
        self._active: dict[Any, Job] = {}

    def train(self, jobs: Sequence[Job]) -> None:
        waiting = deque(jobs)
        try:
            while waiting or self._active:
                self._fill(waiting)
                self._collect(waiting)
        except BaseException:
            self._stop()
            raise

    def _fill(self, waiting: deque[Job]) -> None:
        for _ in range(len(waiting)):
            if len(self._active) >= self._limit:
                return
            job = waiting.popleft()
            if RunFolder(job.folder).is_locked():
                waiting.append(job)
                continue
            task = self._task.options(num_cpus=job.run.training.threads, name=job.run.run_id)
            self._active[task.remote(job.to_json(), str(Path.cwd()), self._board)] = job
            self._notify(Started(job.run.run_id))
        if waiting and not self._active:
            time.sleep(LOOK_AGAIN)

    def _collect(self, waiting: deque[Job] | None, stopping: bool = False) -> None:
        """Take what ended within ``LOOK_AGAIN`` seconds and the progress of the rest."""
        done, _ = self._ray.wait([*self._active], timeout=LOOK_AGAIN) if self._active else ([], [])
        for reference in done:
            job = self._active.pop(reference)
            status = self._result(reference, job, stopping)
            if status is not None:
                run_id = job.run.run_id
                self._notify(Ended(run_id, status.status, status.reason, status.seconds))
            elif waiting is not None:
                waiting.append(job)
        for told in self._ray.get(self._board.take.remote()):
            self._notify(Advanced(**told))

    def _result(self, reference: Any, job: Job, stopping: bool) -> RunStatus | None:
        """The status a task returned; None when another process had its run."""
        try:
            text = self._ray.get(reference)
        except Exception as error:
            folder = RunFolder(job.folder)
            if stopping:
                return folder.record_end(
                    job.run, "interrupted", "stopped before it could save a checkpoint"
                )
            folder.note(str(error))
            kind = type(error).__name__
            return folder.record_end(
                job.run, "failed", f"its Ray task ended without a result ({kind})"
            )
        return RunStatus(**json.loads(text)) if text is not None else None

    def _stop(self) -> None:
        """Tell all tasks to save and end."""
        for reference in self._active:
            self._ray.cancel(reference, force=False)
        deadline = time.monotonic() + GRACE
        while self._active and time.monotonic() < deadline:
            self._collect(None, stopping=True)


class Board:
    """An actor that holds the latest progress of each run until the driver asks."""

    def __init__(self) -> None:
        self._latest: dict[str, dict[str, Any]] = {}

    def put(self, told: dict[str, Any]) -> None:
        """Keep the progress of one run."""
        self._latest[told["run_id"]] = told

    def take(self) -> list[dict[str, Any]]:
        """What came since the last time."""
        latest, self._latest = self._latest, {}
        return list(latest.values())


def train_job(text: str, search: str, board: Any) -> str | None:
    """The task: train the job ``text``; ``search`` is the driver's directory, for its modules."""
    if search not in sys.path:
        sys.path.insert(0, search)
    from bestiary.runs.worker import execute

    job = Job.from_json(text)
    try:
        status = execute(job, _Teller(job.run.run_id, board))
    except KeyboardInterrupt:
        status = RunFolder(job.folder).status()
    return None if status is None else json.dumps(asdict(status))


class _Teller:
    """Sends progress to the board, once a second."""

    def __init__(self, run_id: str, board: Any) -> None:
        self._run_id = run_id
        self._board = board
        self._told = 0.0

    def __call__(self, progress: Progress) -> None:
        if time.monotonic() - self._told < LOOK_AGAIN:
            return
        self._told = time.monotonic()
        told = {
            "run_id": self._run_id,
            "step": progress.step,
            "steps": progress.steps,
            "loss": progress.loss,
            "accuracy": progress.accuracy,
            "examples_per_second": progress.examples_per_second,
        }
        with contextlib.suppress(Exception):
            self._board.put.remote(told)
