"""Circuits: compiling wide, and the compiled stack against numpy on the circuit itself.

`python -m benchmarks circuits` measures both: seconds to compile 10³, 10⁴ and 10⁵ gates, and the
time of a batch through the stack against that of the circuit in numpy, gates of one depth and kind
at once.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
import torch

from benchmarks.butterfly import set_up
from benchmarks.ratio import Ratio, interleaved
from bestiary.circuits import Builder, Circuit, evaluate_batch
from bestiary.compile import compile_circuit

GATES = (1_000, 10_000, 100_000)
DEPTH = 20
BATCH = 1024
EVALUATED = 10_000
MOST_SECONDS = 60.0
SLOWEST = 5.0
ROUNDS = 5


def layered(gates: int, depth: int = DEPTH, seed: int = 0) -> Circuit:
    """Gates in ``depth`` rows, each a product, sum or difference of two of the two rows before.

    Rows are wide enough that what the last one needs is about ``gates``.
    """
    rng = np.random.default_rng(seed)
    builder = Builder()
    width = gates // depth
    row = builder.input("x", (width,))
    before = row
    for _ in range(depth):
        left, right = rng.integers(width, size=width), rng.integers(2 * width, size=width)
        kinds = rng.choice(3, size=width, p=(0.5, 0.25, 0.25))
        make = (builder.multiply, builder.add, builder.subtract)
        both = row + before
        new = [
            make[kind](row[i], both[j])
            for kind, i, j in zip(kinds.tolist(), left.tolist(), right.tolist(), strict=True)
        ]
        before, row = row, new
    return builder.finished({"y": ((width,), row)}, f"{gates} gates")


def measure() -> list[Ratio]:
    """Compilation by size, then evaluation."""
    how = set_up()
    return [*_compilation(how), _evaluation(how)]


def _compilation(how: str) -> list[Ratio]:
    seconds, rows = {}, []
    for gates in GATES:
        circuit = layered(gates)
        start = perf_counter()
        stack = compile_circuit(circuit).stack
        # Per gate that is left once those that nothing needs are not.
        seconds[gates] = (perf_counter() - start) / circuit.size
        rows.append(
            Ratio(
                subject="compiling a circuit, wide",
                setting=f"{circuit.size:,} gates, D {circuit.multiplicative_depth}",
                baseline=f"{MOST_SECONDS:.0f} s",
                ours=f"{len(stack.layers)} layers, d' {stack.width:,}",
                baseline_seconds=MOST_SECONDS,
                ours_seconds=seconds[gates] * circuit.size,
                bound=1.0,
                note=how,
            )
        )
    rows.append(
        Ratio(
            subject="compiling a circuit, growth",
            setting=f"{GATES[1]:,} to {GATES[2]:,} gates",
            baseline="the time a gate of the smaller",
            ours="the time a gate of the larger",
            baseline_seconds=seconds[GATES[1]],
            ours_seconds=seconds[GATES[2]],
            # A tenth of a power over linear is still near it.
            bound=2 / 3,
            note=how,
        )
    )
    return rows


def _evaluation(how: str) -> Ratio:
    circuit = layered(EVALUATED)
    stack = compile_circuit(circuit).stack.float()
    # Products of products: small numbers stay small.
    given = np.random.default_rng(1).uniform(-0.5, 0.5, (BATCH, circuit.width_in))
    single = torch.from_numpy(given).float()[:, None]
    with torch.no_grad():
        expected = evaluate_batch(circuit, given)
        error = np.abs(stack(single)[:, 0].numpy() - expected).max() / np.abs(expected).max()
        best = interleaved(
            {
                "numpy": lambda: evaluate_batch(circuit, given),
                "ours": lambda: stack(single),
            },
            rounds=ROUNDS,
        )
    return Ratio(
        subject="compiled circuit, forward",
        setting=f"{circuit.size:,} gates, D {circuit.multiplicative_depth}, batch {BATCH:,}",
        baseline="the circuit in numpy, float64, gates of one depth and kind at once",
        ours=f"stack by structure, float32 ({len(stack.layers)} layers, d' {stack.width:,})",
        baseline_seconds=best["numpy"],
        ours_seconds=best["ours"],
        bound=1 / SLOWEST,
        note=f"{how}; relative difference {error:.0e}",
    )
