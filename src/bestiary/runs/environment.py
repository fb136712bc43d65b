"""Where and with what a run was trained, without the name of a host or a person."""

from __future__ import annotations

import functools
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import torch

import bestiary
from bestiary.runs.config import RunConfig


def environment(run: RunConfig) -> dict[str, Any]:
    """Versions, commits, kind of host, seed and threads, for environment.json."""
    return {
        "versions": {
            "bestiary": bestiary.__version__,
            "python": platform.python_version(),
            "torch": str(torch.__version__),
            "numpy": np.__version__,
        },
        "git": {
            "bestiary": commit_of(Path(bestiary.__file__).parent, Path(bestiary.__file__).name),
            "working_directory": commit_of(Path.cwd()),
        },
        "host": {
            "system": platform.system(),
            "machine": platform.machine(),
            "processor": processor(),
            "cores": available_cores(),
            "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        },
        "seed": run.seed,
        "threads": run.training.threads,
    }


def available_cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@functools.cache
def processor() -> str:
    """The processor's model name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    for line in lines:
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


@functools.cache
def commit_of(folder: Path, tracked: str = ".") -> dict[str, Any] | None:
    """The commit that ``folder`` is at and whether tracked files differ; None outside of git.

    None too where the repository does not hold ``tracked``: a package installed in an
    environment inside somebody's repository is not of that repository.
    """
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None or _git(folder, "ls-files", "--error-unmatch", tracked) is None:
        return None
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return {"commit": commit, "dirty": bool(changed)}


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
