"""Train until the process is killed, again and again, and print what the weights were in the end.

Run as a script, so that torch is imported once: every attempt is a fork of this process. Each
line of output is JSON: what an undisturbed training gave; then, for each chain of kills, a line
an attempt and what the training gave that was resumed after them.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import torch
from small_training import CONFIG, TASK, small_model, weights

from bestiary.training import train

EXITED = os.WEXITED | os.WNOHANG | os.WNOWAIT


def digest(directory: Path | None) -> dict:
    """Train to the end and describe the result without its times."""
    model = small_model(noise=True)
    outcome = train(model, TASK, CONFIG, 11, directory)
    history = [{**row, "seconds": 0} for row in outcome.history]
    said = repr((sorted(weights(model).items()), history, outcome.status, outcome.step))
    return {"digest": hashlib.sha256(said.encode()).hexdigest(), "status": outcome.status}


def step_of(directory: Path) -> int | None:
    """The step of the checkpoint in a directory."""
    state = directory / "checkpoint" / "state.json"
    return json.loads(state.read_bytes())["values"]["place"]["step"] if state.exists() else None


def die_at_call(number: int, *owners_and_names: tuple[object, str]) -> None:
    """SIGKILL this process just before the ``number``-th call of any of the functions."""
    calls = 0

    def deadly(function):
        def call(*args, **kwargs):
            nonlocal calls
            calls += 1
            if calls == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*args, **kwargs)

        return call

    for owner, name in owners_and_names:
        setattr(owner, name, deadly(getattr(owner, name)))


def attempt(directory: Path, prepare, delay: float | None = None) -> None:
    """Train in a fork that is killed: by itself as ``prepare`` arranges, or from outside.

    delay: seconds from its first checkpoint to the kill.
    """
    child = os.fork()
    if child == 0:
        prepare()
        digest(directory)
        os._exit(0)
    if delay is not None:
        before = step_of(directory)
        # A child that is done stays a zombie until it is waited for, so the kill is harmless.
        while step_of(directory) == before and not os.waitid(os.P_PID, child, EXITED):
            time.sleep(0.002)
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    step = step_of(directory)
    print(json.dumps({"chain": directory.name, "killed": killed, "step": step}), flush=True)


def killed_at_updates(directory: Path, draw: random.Random) -> None:
    """Die before an update, a few updates further each time."""
    for _ in range(5):
        number = draw.randint(1, 9)
        attempt(directory, lambda n=number: die_at_call(n, (torch.optim.AdamW, "step")))


def killed_at_writes(directory: Path, draw: random.Random) -> None:
    """Die before each thing that a checkpoint does to the disk.

    In order: two files opened, synced and renamed, their folder synced, the old file removed.
    """
    places = ((os, "fsync"), (Path, "replace"), (Path, "open"), (Path, "unlink"))
    for number in range(1, 13):
        attempt(directory, lambda n=number: die_at_call(n, *places))


def killed_at_any_time(directory: Path, draw: random.Random) -> None:
    """Be killed from outside, wherever that finds the process."""
    for _ in range(5):
        attempt(directory, lambda: None, draw.uniform(0, 0.05))


def main(directory: Path, seed: int) -> None:
    """One chain of kills after another, each with a folder of its own."""
    torch.set_num_threads(1)
    print(json.dumps({"chain": "undisturbed", **digest(None)}), flush=True)
    for chain in (killed_at_updates, killed_at_writes, killed_at_any_time):
        folder = directory / chain.__name__
        folder.mkdir()
        chain(folder, random.Random(seed))
        print(json.dumps({"chain": chain.__name__, **digest(folder)}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
