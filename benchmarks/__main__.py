"""Run the benchmarks: `python -m benchmarks [subject …]`, results into benchmarks/RESULTS.md.

Each subject runs in a process of its own, so that one cannot leave the memory allocator, the
thread count or the caches in another state for the next.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import subprocess
import sys
from dataclasses import asdict
from datetime import date
from pathlib import Path

from benchmarks.ratio import Ratio, markdown

SUBJECTS = ("mqar", "conv", "training", "butterfly", "compiled", "circuits", "solvers")
RESULTS = Path(__file__).parent / "RESULTS.md"


def measure_here(subject: str) -> list[Ratio]:
    """Measure one subject in this process."""
    rows: list[Ratio] = importlib.import_module(f"benchmarks.{subject}").measure()
    return rows


def measure_apart(subject: str) -> list[Ratio]:
    """Measure one subject in a fresh process; what it prints goes to standard error."""
    reader, writer = os.pipe()
    command = [sys.executable, "-m", "benchmarks", "--inner", str(writer), subject]
    process = subprocess.Popen(command, pass_fds=(writer,), stdout=sys.stderr)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    if process.wait() != 0:
        raise SystemExit(f"benchmark {subject} failed with exit code {process.returncode}")
    return [Ratio(**row) for row in json.loads(text)]


def describe_host() -> str:
    """Processor, cores, system and versions, for the head of the results."""
    import numpy
    import torch

    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [
            line.partition(":")[2].strip()
            for line in cpuinfo.read_text().splitlines()
            if line.startswith("model name")
        ]
        processor = names[0] if names else processor
    return (
        f"{date.today().isoformat()}, {processor}, {os.cpu_count()} cores, {platform.system()}, "
        f"Python {platform.python_version()}, torch {torch.__version__}, numpy {numpy.__version__}"
    )


def main() -> int:
    """Measure, print and write; the exit code is 1 when a bound is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("subjects", nargs="*", help=f"any of {', '.join(SUBJECTS)} (default: all)")
    parser.add_argument("--inner", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    unknown = sorted(set(given.subjects) - set(SUBJECTS))
    if unknown:
        parser.error(f"unknown subject {unknown[0]!r} (accepted: {', '.join(SUBJECTS)})")
    subjects = given.subjects or list(SUBJECTS)
    if given.inner is not None:
        rows = measure_here(subjects[0])
        with os.fdopen(given.inner, "w") as pipe:
            json.dump([asdict(row) for row in rows], pipe)
        return 0
    rows = [row for subject in subjects for row in measure_apart(subject)]
    table = markdown(rows)
    sys.stdout.write(table)
    if set(subjects) == set(SUBJECTS):
        RESULTS.write_text(
            "# Benchmarks\n\nMade by `make bench`; ratios within one run, the best of several "
            f"interleaved rounds.\n\n{describe_host()}\n\n{table}",
            encoding="utf-8",
        )
    return 0 if all(row.holds for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
