"""Butterfly products against the dense matrix, against factors one by one, and against rfft.

`python -m benchmarks butterfly` measures the ratios. Run by itself, this file measures what the
planner knows: `python -m benchmarks.butterfly --costs` the parts of a product, in nanoseconds on
one thread, and `--radices` whole products by every choice of radices beside the one planned.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from torch import Tensor

from benchmarks.ratio import Ratio, interleaved
from bestiary.operators.butterfly import explain, merge_all, multiply, plan_for
from bestiary.training.allocator import keep_freed_memory

N = 4096
BATCH = 256
THREADS = 2
ROUNDS = 9


def set_up(threads: int = THREADS) -> str:
    """Threads and allocator as in training; says what they are."""
    torch.set_num_threads(threads)
    kept = "freed memory kept" if keep_freed_memory() else "the C library's allocator as it is"
    return f"{threads} threads, {kept}"


def factors_by_halves(x: Tensor, twiddle: Tensor) -> Tensor:
    """The factors in turn: each half of a block is a sum of two products. (batch, n) in and out."""
    levels, n = twiddle.shape[0], x.shape[-1]
    for place in reversed(range(levels)):
        k = 1 << (levels - place)
        d = twiddle[place].unflatten(-1, (n // k, k // 2))
        halves = x.view(-1, n // k, 2, k // 2)
        a, b = halves[:, :, 0], halves[:, :, 1]
        x = torch.stack((d[0, 0] * a + d[0, 1] * b, d[1, 0] * a + d[1, 1] * b), 2).view(x.shape)
    return x


def factors_by_sum(x: Tensor, twiddle: Tensor) -> Tensor:
    """The factors in turn: products with all four diagonals at once, then a sum over two."""
    levels, n = twiddle.shape[0], x.shape[-1]
    for place in reversed(range(levels)):
        k = 1 << (levels - place)
        d = twiddle[place].unflatten(-1, (n // k, k // 2)).movedim(-2, 0)
        x = (d * x.view(-1, n // k, 1, 2, k // 2)).sum(-2).view(x.shape)
    return x


def _step(function: Callable[[Tensor, Tensor], Tensor], x: Tensor, w: Tensor, g: Tensor):
    """One forward and backward pass, with gradients of input and weights."""

    def run() -> None:
        x.grad = w.grad = None
        function(x, w).backward(g)

    return run


def _forward(function: Callable[[Tensor, Tensor], Tensor], x: Tensor, w: Tensor):
    def run() -> None:
        with torch.no_grad():
            function(x, w)

    return run


def measure() -> list[Ratio]:
    """Training steps and forward passes of one butterfly at n = 4096, batch 256."""
    how = set_up()
    generator = torch.Generator().manual_seed(0)
    levels = N.bit_length() - 1
    rows = []
    for dtype in (torch.float32, torch.complex64):
        x, g = (torch.randn(BATCH, N, dtype=dtype, generator=generator) for _ in range(2))
        shape = (levels, 2, 2, N // 2)
        twiddle = torch.randn(shape, dtype=dtype, generator=generator) / 2**0.5
        # The complex dense product takes seconds and would tell nothing new.
        dense = None
        if dtype == torch.float32:
            dense = (torch.randn(N, N, generator=generator) / N**0.5).requires_grad_()
        rows += _rows(x.requires_grad_(), g, twiddle.requires_grad_(), dense, how)
    rows.append(_against_rfft(how))
    return rows


def _ours(x: Tensor, twiddle: Tensor) -> Tensor:
    return multiply(x, twiddle.unsqueeze(0))


def _dense(x: Tensor, weight: Tensor) -> Tensor:
    return x @ weight


def _rows(x: Tensor, g: Tensor, twiddle: Tensor, dense: Tensor | None, how: str) -> list[Ratio]:
    """Forward and training step, against the dense product and the better of two plain loops."""
    plan = explain(x, twiddle.unsqueeze(0))
    functions = {
        "factors one by one, by halves": (factors_by_halves, twiddle),
        "factors one by one, by a sum": (factors_by_sum, twiddle),
        "ours": (_ours, twiddle),
    }
    if dense is not None:
        functions["dense product"] = (_dense, dense)
    rows = []
    for what in ("forward", "forward + backward"):
        if what == "forward":
            steps = {k: _forward(f, x, w) for k, (f, w) in functions.items()}
        else:
            steps = {k: _step(f, x, w, g) for k, (f, w) in functions.items()}
        best = interleaved(steps, rounds=ROUNDS)
        plain = min((name for name in steps if name.startswith("factors")), key=best.__getitem__)
        bounds = {plain: 3.0} if dense is None else {plain: 3.0, "dense product": 15.0}
        for baseline, bound in bounds.items():
            rows.append(
                Ratio(
                    subject=f"butterfly, {what}, merging included",
                    setting=f"n {N}, batch {BATCH}, {str(x.dtype).removeprefix('torch.')}",
                    baseline=baseline,
                    ours=f"radices {plan.radices}",
                    baseline_seconds=best[baseline],
                    ours_seconds=best["ours"],
                    bound=None if dense is None else bound,
                    note=how,
                )
            )
    return rows


def _against_rfft(how: str) -> Ratio:
    """Blocks merged before, vectors as columns: what is left is the product itself."""
    generator = torch.Generator().manual_seed(0)
    twiddle = torch.randn(1, 1, N.bit_length() - 1, 2, 2, N // 2, generator=generator)
    plan = plan_for(N, BATCH)
    merged = merge_all(twiddle, plan)
    rows = torch.randn(BATCH, N, generator=generator)
    columns = rows.t().contiguous()
    best = interleaved(
        {
            "rfft": lambda: torch.fft.rfft(rows),
            "columns": lambda: merged.columns(columns),
            "rows": lambda: merged.rows(rows),
        },
        rounds=2 * ROUNDS,
    )
    return Ratio(
        subject="butterfly, forward, blocks merged before, batch last",
        setting=f"n {N}, batch {BATCH}, float32",
        baseline="rfft of the same batch, batch first",
        ours=f"radices {plan.radices}",
        baseline_seconds=best["rfft"],
        ours_seconds=best["columns"],
        note=f"batch first {best['rows'] * 1e3:.2f} ms, {how}",
    )


def _report(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def costs() -> None:
    """Fit the planner's constants on one thread, by radix and alone."""
    _report(set_up(1))
    elements = N * BATCH
    x = torch.randn(N, BATCH)
    radices = (4, 8, 16, 32, 64)
    products = {
        str(r): partial(torch.bmm, torch.randn(N // r, r, r), x.view(-1, r, BATCH)) for r in radices
    }
    best = interleaved(products, rounds=25)
    times = [best[str(r)] * 1e9 / elements for r in radices]
    slope, start = np.polyfit(radices, times, 1)
    listed = ", ".join(f"{r}: {t:.2f}" for r, t in zip(radices, times, strict=True))
    _report(f"ns an element by radix: {listed}; pass_ {start:.2f}, radix {slope:.4f}")
    twiddle = torch.randn(1, 1, N.bit_length() - 1, 2, 2, N // 2)
    plan = plan_for(N, BATCH, radices=(64, 64))
    tiny = torch.ones(2)
    rows = x.t().contiguous()
    best = interleaved(
        {
            "merge": lambda: merge_all(twiddle, plan),
            "factors": lambda: multiply(rows, twiddle[0], path="factors"),
            "call": lambda: [tiny * tiny for _ in range(1000)],
        },
        rounds=9,
    )
    _report(
        f"merge {best['merge'] * 1e9 / (2 * 64 * N):.2f} ns an element, "
        f"factor {best['factors'] * 1e9 / (12 * elements):.2f} ns an element, "
        f"call {best['call'] * 1e6:.0f} ns"
    )


def radices() -> None:
    """Milliseconds of training steps by every choice of radices, and what is planned."""
    _report(set_up())
    for n, batch in ((64, 256), (512, 256), (4096, 16), (4096, 256), (16_384, 64)):
        x, g = torch.randn(batch, n, requires_grad=True), torch.randn(batch, n)
        twiddle = (torch.randn(1, n.bit_length() - 1, 2, 2, n // 2) / 2**0.5).requires_grad_()
        choices = [plan_for(n, batch, path="blocks", radices=cut).radices for cut in _cuts(n)]
        steps = {
            str(cut): _step(lambda x, t, cut=cut: multiply(x, t, radices=cut), x, twiddle, g)
            for cut in choices
        }
        steps["factors"] = _step(lambda x, t: multiply(x, t, path="factors"), x, twiddle, g)
        best = interleaved(steps, rounds=7)
        times = ", ".join(f"{name} {seconds * 1e3:.2f} ms" for name, seconds in best.items())
        planned = plan_for(n, batch)
        chosen = planned.radices if planned.path == "blocks" else "factors"
        _report(f"n {n}, batch {batch}: {times}; planned: {chosen}")


def _cuts(n: int) -> list[tuple[int, ...]]:
    """Fields as equal as can be, of every number that keeps to radix 64."""
    levels = n.bit_length() - 1
    cuts = []
    for fields in range(-(-levels // 6), levels // 2 + 1):
        small, larger = divmod(levels, fields)
        cuts.append((1 << small,) * (fields - larger) + (2 << small,) * larger)
    return cuts


def main() -> None:
    """Measure what was asked for and print it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.butterfly", description=__doc__)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--costs", action="store_true", help="what the parts of a product cost")
    which.add_argument("--radices", action="store_true", help="whole steps by choice of radices")
    costs() if parser.parse_args().costs else radices()


if __name__ == "__main__":
    main()
