"""Runs in processes on this machine, one process a run, so that each fails alone.

Processes are forked from a server that has torch loaded already: starting one takes
milliseconds, and nothing of one run is left for the next.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from bestiary.runs.environment import available_cores
from bestiary.runs.events import Advanced, Ended, Notify, Started
from bestiary.runs.job import Job
from bestiary.runs.run_folder import RunFolder, RunStatus

if TYPE_CHECKING:
    from bestiary.training.history import Progress

PRELOAD = ["__main__", "bestiary.runs.worker", "torch._dynamo"]
"""torch._dynamo takes seconds to load, and the first optimizer of a process asks for it."""
TELL_EVERY = 0.2
"""Seconds between two progress messages of one run."""
LOOK_AGAIN = 1.0
"""Seconds between two looks at a run that another process is training."""
GRACE = 60.0
"""Seconds a run has to save its checkpoint after it was told to stop."""


def _context() -> Any:
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    if method == "forkserver":
        context.set_forkserver_preload(PRELOAD)
    return context


@dataclass
class _Worker:
    job: Job
    process: Any
    ended: RunStatus | None = None
    busy: bool = False


class LocalProcesses:
    """At most ``workers`` processes at once (None: as many as their threads leave cores for)."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers
        self._context = _context()

    def prepare(self) -> None:
        """Start the server that loads torch; it does so while the caller goes on."""
        if self._context.get_start_method() == "forkserver":
            from multiprocessing import forkserver

            forkserver.ensure_running()

    def execute(self, jobs: Sequence[Job], notify: Notify) -> None:
        """Train all jobs; see ``Executor``."""
        threads = max((job.run.training.threads for job in jobs), default=1)
        workers = self.workers or max(1, available_cores() // threads)
        waiting = deque(jobs)
        active: dict[Connection, _Worker] = {}
        try:
            while waiting or active:
                self._fill(waiting, active, workers, notify)
                for connection in wait([*active], timeout=LOOK_AGAIN):
                    assert isinstance(connection, Connection)
                    worker = active[connection]
                    if not _receive(connection, worker, notify):
                        del active[connection]
                        _close(worker, notify)
                        if worker.busy:
                            waiting.append(worker.job)
        except BaseException:
            _stop(active, notify)
            raise

    def _fill(
        self,
        waiting: deque[Job],
        active: dict[Connection, _Worker],
        workers: int,
        notify: Notify,
    ) -> None:
        """Start processes while there is room, passing over runs that another process has."""
        for _ in range(len(waiting)):
            if len(active) >= workers:
                return
            job = waiting.popleft()
            if RunFolder(job.folder).is_locked():
                waiting.append(job)
                continue
            ours, theirs = self._context.Pipe(duplex=False)
            process = self._context.Process(
                target=_child, args=(job.to_json(), theirs), name=job.run.run_id, daemon=True
            )
            process.start()
            # Ours must be the only end left open, or the end of the process would not be seen.
            theirs.close()
            active[ours] = _Worker(job, process)
            notify(Started(job.run.run_id))
        if waiting and not active:
            time.sleep(LOOK_AGAIN)


def _receive(connection: Connection, worker: _Worker, notify: Notify) -> bool:
    """Take one message; False once the process has nothing more to say."""
    try:
        message = json.loads(connection.recv_bytes())
    except (EOFError, OSError):
        connection.close()
        return False
    if message["kind"] == "progress":
        del message["kind"]
        notify(Advanced(run_id=worker.job.run.run_id, **message))
    elif message["kind"] == "busy":
        worker.busy = True
    else:
        worker.ended = RunStatus(**message["status"])
    return True


def _close(worker: _Worker, notify: Notify, stopping: bool = False) -> None:
    """Take leave of a process that has ended, in whatever way."""
    worker.process.join()
    if worker.busy:
        return
    run_id = worker.job.run.run_id
    status = worker.ended or _without_a_word(worker, stopping)
    notify(Ended(run_id, status.status, status.reason, status.seconds))


def _without_a_word(worker: _Worker, stopping: bool) -> RunStatus:
    """The status of a run whose process could not say one, recorded in its folder."""
    run, folder = worker.job.run, RunFolder(worker.job.folder)
    code = worker.process.exitcode
    if stopping:
        return folder.record_end(run, "interrupted", "stopped before it could save a checkpoint")
    if code is not None and code < 0:
        name = signal.Signals(-code).name
        hint = "; the machine may be out of memory" if name == "SIGKILL" else ""
        return folder.record_end(run, "failed", f"its process was killed by {name}{hint}")
    return folder.record_end(
        run, "failed", f"its process ended with exit code {code} and no result"
    )


def _stop(active: dict[Connection, _Worker], notify: Notify) -> None:
    """Tell all processes to save and end; those that do not in time are killed."""
    for worker in active.values():
        worker.process.terminate()
    deadline = time.monotonic() + GRACE
    try:
        while active and time.monotonic() < deadline:
            for connection in wait([*active], timeout=LOOK_AGAIN):
                assert isinstance(connection, Connection)
                if not _receive(connection, active[connection], notify):
                    _close(active.pop(connection), notify, stopping=True)
    finally:
        # Reached by a second Ctrl-C too.
        for worker in active.values():
            worker.process.kill()
            _close(worker, notify, stopping=True)


def _child(text: str, connection: Connection) -> None:
    """The process of one run."""
    # Ctrl-C in a terminal goes to the whole group: the parent alone decides what it means.
    os.setpgrp()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    threading.Thread(target=_follow_parent, daemon=True).start()
    job = Job.from_json(text)
    _quiet_standard_streams(RunFolder(job.folder))
    from bestiary.runs.worker import execute, reason_of

    try:
        status = execute(job, _Teller(connection))
    except KeyboardInterrupt:
        status = RunFolder(job.folder).status()
    except BaseException as error:
        # The folder itself cannot be written, so the parent is the only one to tell.
        status = RunStatus(status="failed", reason=reason_of(error))
    message = {"kind": "busy"} if status is None else {"kind": "ended", "status": asdict(status)}
    with contextlib.suppress(OSError):
        connection.send_bytes(json.dumps(message).encode())
    connection.close()


def _quiet_standard_streams(folder: RunFolder) -> None:
    """Send what libraries print to the run's log: the terminal is the parent's to draw on."""
    try:
        folder.path.mkdir(parents=True, exist_ok=True)
        log = os.open(folder.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    except OSError:
        log = os.open(os.devnull, os.O_WRONLY)
    sys.stdout.flush()
    sys.stderr.flush()
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)


def _follow_parent() -> None:
    """End with the parent, checkpoint saved, even when it was killed and could not say so."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    os._exit(1)


class _Teller:
    """Sends progress to the parent, now and then."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._told = 0.0

    def __call__(self, progress: Progress) -> None:
        if time.monotonic() - self._told < TELL_EVERY:
            return
        self._told = time.monotonic()
        message = {
            "kind": "progress",
            "step": progress.step,
            "steps": progress.steps,
            "loss": progress.loss,
            "accuracy": progress.accuracy,
            "examples_per_second": progress.examples_per_second,
        }
        # The parent is gone: _follow_parent ends this process in order.
        with contextlib.suppress(OSError):
            self._connection.send_bytes(json.dumps(message).encode())
