"""How often the heuristic schedule is the best one, on random programs: `make bench-schedule`.

The constraint solver looks for fewer layers and, in so many, for fewer channels. A program counts
as optimal where the solver proves that the heuristic's number cannot be beaten, and a gap is the
heuristic's number less the best found. Channels are compared where the layers are equal.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bestiary.compile.optimize import Found, Optimize, schedule_optimally
from bestiary.compile.retime import retime
from bestiary.compile.simplify import simplify

# The programs that the tests check every pass on.
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "compile"))

from random_programs import by_numpy, random_program


def searched(count: int, operations: int, seed: int, optimize: Optimize) -> list[Found]:
    """What the solver finds for so many programs of up to ``operations`` operations."""
    found = []
    for i in range(count):
        program = random_program(by_numpy([seed, i]), operations)
        found.append(schedule_optimally(retime(simplify(program)), optimize)[1])
    return found


def summary(found: Sequence[Found]) -> dict[str, str]:
    """The columns of one line."""
    layers = [f.heuristic[0] - f.layers for f in found]
    even = [f for f in found if f.heuristic[0] == f.layers]
    channels = [f.heuristic[1] - f.channels for f in even]
    best_layers = sum(f.layers_proven for f in even)
    best_channels = sum(f.channels_proven and f.heuristic[1] == f.channels for f in even)
    return {
        "programs": str(len(found)),
        "layers optimal": share(best_layers, len(found)),
        "gap mean / max": gap(layers),
        "channels optimal": share(best_channels, len(even)),
        "gap mean / max ": gap(channels),
        "proven": share(sum(f.channels_proven for f in found), len(found)),
        "layers": f"{np.mean([f.layers for f in found]):.1f}",
        "channels": f"{np.mean([f.channels for f in found]):.1f}",
    }


def share(part: int, whole: int) -> str:
    return f"{part}/{whole} ({100 * part / whole:.1f} %)"


def gap(gaps: Sequence[int]) -> str:
    return f"{np.mean(gaps):.3f} / {max(gaps)}"


def main() -> None:
    chosen = argparse.ArgumentParser(description=__doc__)
    chosen.add_argument("--count", type=int, default=200)
    chosen.add_argument("--operations", type=int, nargs="+", default=[10, 30, 100])
    chosen.add_argument("--seed", type=int, default=20231208)
    chosen.add_argument("--seconds", type=float, default=20)
    chosen.add_argument("--threads", type=int, default=1)
    options = chosen.parse_args()
    optimize = Optimize(seconds=options.seconds, threads=options.threads)
    head = False
    for operations in options.operations:
        started = time.perf_counter()
        line = {"operations": f"≤ {operations}"}
        line |= summary(searched(options.count, operations, options.seed, optimize))
        line["seconds"] = f"{time.perf_counter() - started:.0f}"
        if not head:
            print("| " + " | ".join(line) + " |\n|" + "---|" * len(line))
            head = True
        print("| " + " | ".join(line.values()) + " |", flush=True)


if __name__ == "__main__":
    main()
