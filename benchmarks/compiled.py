"""Compiled stacks against what they stand for, and what compiling itself takes.

`python -m benchmarks compiled` measures the ratios: a compiled butterfly, evaluated by structure,
against its factors one by one, and the time to compile programs of 10³, 10⁴ and 10⁵ operations.
Run by itself, `python -m benchmarks.compiled --passes 10000` prints the seconds of each pass.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from copy import deepcopy
from time import perf_counter

import numpy as np
import torch
from torch import Tensor

from benchmarks.butterfly import factors_by_halves, factors_by_sum, set_up
from benchmarks.ratio import Ratio, interleaved
from bestiary.compile import PASSES, Program, Value, compile_program, concat, input_array
from bestiary.compile.emit import emit
from bestiary.compile.from_matrix import matrix
from bestiary.structured import Butterfly

N = 4096
BATCH = 64
WIDTHS = (1, 64)
LARGEST = 1 << 16
OPERATIONS = (1_000, 10_000, 100_000)
LEVELS = 10
MOST_SECONDS = 60.0
ROUNDS = 15


def circuit(operations: int, levels: int = LEVELS, seed: int = 0) -> Program:
    """Levels of equally many products and sums of two random values of the level before."""
    rng = np.random.default_rng(seed)
    width = operations // levels
    u = input_array("u", width)
    level: list[Value] = [u[i] for i in range(width)]
    for _ in range(levels):
        a, b = rng.integers(width, size=(2, width))
        product = rng.random(width) < 0.5
        level = [
            level[i] * level[j] if times else level[i] + level[j]
            for i, j, times in zip(a, b, product, strict=True)
        ]
    return Program((u,), concat(level), rows=1, name=f"{operations} operations")


def butterfly(n: int) -> tuple[Butterfly, Tensor]:
    """A random butterfly and its diagonals, (levels, 2, 2, n/2) float64."""
    generator = torch.Generator().manual_seed(0)
    levels = n.bit_length() - 1
    # Entries of variance 1/2 keep the size of a vector from factor to factor.
    packed = torch.randn(levels, 2, 2, n // 2, dtype=torch.float64, generator=generator) / 2**0.5
    return Butterfly.from_packed(packed), packed


def measure() -> list[Ratio]:
    """Evaluation at n = 4096, then compilation."""
    how = set_up()
    return [*_evaluation(how), *_compilation(how)]


def _evaluation(how: str) -> list[Ratio]:
    member, packed = butterfly(N)
    rows = []
    for d in WIDTHS:
        compiled = matrix(member, d).stack
        size = f"{len(compiled.layers)} layers, N' {compiled.inner_length}, d' {compiled.width}"
        for dtype in (torch.float32, torch.float64):
            stack, diagonals = deepcopy(compiled).to(dtype), packed.to(dtype)
            x = torch.randn(BATCH, N, dtype=dtype, generator=torch.Generator().manual_seed(1))
            baselines = {"halves": factors_by_halves, "sums": factors_by_sum}
            contenders: dict[str, Callable[[], Tensor]] = {
                name: lambda run=run, x=x, w=diagonals: run(x, w) for name, run in baselines.items()
            }
            contenders["ours"] = lambda s=stack, x=x, d=d: s(x.view(BATCH, N // d, d))
            with torch.no_grad():
                found, expected = contenders["ours"]().reshape(x.shape), contenders["halves"]()
                error = float((found - expected).abs().max() / expected.abs().max())
                best = interleaved(contenders, rounds=ROUNDS)
            way = min(baselines, key=best.__getitem__)
            rows.append(
                Ratio(
                    subject="compiled butterfly, forward",
                    setting=f"n {N}, d {d}, batch {BATCH}, {str(dtype).removeprefix('torch.')}",
                    baseline=f"12 factors one by one, by {way}",
                    ours=f"stack by structure ({size})",
                    baseline_seconds=best[way],
                    ours_seconds=best["ours"],
                    bound=1 / 3,
                    note=f"{how}; relative difference {error:.0e}",
                )
            )
    return rows


def _compilation(how: str) -> list[Ratio]:
    seconds = {}
    for operations in OPERATIONS:
        program = circuit(operations)
        seconds[operations] = _timed(lambda program=program: compile_program(program))
    rows = [
        Ratio(
            subject="compiling",
            setting=f"{operations:,} operations in {LEVELS} levels",
            baseline=f"{MOST_SECONDS:.0f} s",
            ours="compile_program",
            baseline_seconds=MOST_SECONDS,
            ours_seconds=taken,
            bound=1.0,
            note=how,
        )
        for operations, taken in seconds.items()
    ]
    small, large = OPERATIONS[-2:]
    rows.append(
        Ratio(
            subject="compiling, growth",
            setting=f"{small:,} to {large:,} operations",
            baseline=f"{large // small} times the time for {small:,}",
            ours=f"the time for {large:,}",
            baseline_seconds=seconds[small] * (large / small),
            ours_seconds=seconds[large],
            # A tenth of a power over linear is still near it: 10^1.18 is 15.
            bound=2 / 3,
            note=how,
        )
    )
    member, _ = butterfly(LARGEST)
    rows += [
        Ratio(
            subject="compiling a butterfly",
            setting=f"n·d {LARGEST:,}, d {d}",
            baseline=f"{MOST_SECONDS:.0f} s",
            ours="matrix",
            baseline_seconds=MOST_SECONDS,
            ours_seconds=_timed(lambda d=d: matrix(member, d)),
            bound=1.0,
            note=how,
        )
        for d in (1, 256)
    ]
    return rows


def _timed(run: Callable[[], object]) -> float:
    start = perf_counter()
    run()
    return perf_counter() - start


def passes(operations: int) -> None:
    """Print the seconds of each pass, and the size of what comes out."""
    program = last = circuit(operations)
    for name, run in PASSES.items():
        start = perf_counter()
        last = run(last)
        sys.stdout.write(f"{name}: {perf_counter() - start:.2f} s\n")
    start = perf_counter()
    stack = emit(last)
    sys.stdout.write(f"emit: {perf_counter() - start:.2f} s\n")
    sys.stdout.write(f"{len(program)} values, {len(stack.layers)} layers, d' {stack.width}\n")


def main() -> None:
    """Measure what was asked for and print it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compiled", description=__doc__)
    parser.add_argument("--passes", type=int, required=True, help="operations of the program")
    passes(parser.parse_args().passes)


if __name__ == "__main__":
    main()
