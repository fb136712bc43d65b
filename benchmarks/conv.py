"""Long convolution, forward and backward, against transforms of twice the length under autograd.

`python -m benchmarks conv` measures the ratios. Run by itself, this file measures what the planner
knows: `python -m benchmarks.conv --crossovers` where one path overtakes another, and
`--fft-sizes` what an element of a transform costs by the length's odd factor.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable

import torch
from torch import Tensor

from benchmarks.ratio import Ratio, interleaved
from bestiary.operators import conv, explain
from bestiary.training.allocator import keep_freed_memory

BATCH = 64
WIDTHS = (64, 128, 256)
LENGTHS = (32, 64, 128, 256, 512)
THREADS = 2

Operator = Callable[[Tensor, Tensor], Tensor]


def fft_time_last(u: Tensor, h: Tensor) -> Tensor:
    """Transforms along the last axis, between transposes; (batch, length, channels) in and out."""
    n = 2 * u.shape[1]
    product = torch.fft.rfft(u.mT, n) * torch.fft.rfft(h.mT, n)
    return torch.fft.irfft(product, n)[..., : u.shape[1]].mT


def fft_time_first(u: Tensor, h: Tensor) -> Tensor:
    """Transforms along axis 1, where time lies; nothing is transposed."""
    n = 2 * u.shape[1]
    product = torch.fft.rfft(u, n, dim=1) * torch.fft.rfft(h, n, dim=0)
    return torch.fft.irfft(product, n, dim=1)[:, : u.shape[1]]


def step(operator: Operator, batch: int, length: int, width: int, taps: int) -> Callable[[], None]:
    """One forward and backward pass in float32, with gradients of input and filter."""
    generator = torch.Generator().manual_seed(0)
    u = torch.randn(batch, length, width, generator=generator).requires_grad_()
    h = (torch.randn(taps, width, generator=generator) / taps).requires_grad_()
    g = torch.randn(batch, length, width, generator=generator)

    def run() -> None:
        u.grad = h.grad = None
        operator(u, h).backward(g)

    return run


def set_up() -> str:
    """Threads and allocator as in training; says what they are."""
    torch.set_num_threads(THREADS)
    kept = "freed memory kept" if keep_freed_memory() else "the C library's allocator as it is"
    return f"{THREADS} threads, {kept}"


def measure() -> list[Ratio]:
    """Every width and length, all three contenders in turn, the better baseline taken."""
    how = set_up()
    rows = []
    for width in WIDTHS:
        for length in LENGTHS:
            contenders = {"time last": fft_time_last, "time first": fft_time_first, "ours": conv}
            steps = {k: step(f, BATCH, length, width, length) for k, f in contenders.items()}
            best = interleaved(steps, rounds=15 if length * width < 2**15 else 7)
            layout = min(("time last", "time first"), key=best.__getitem__)
            plan = explain(torch.empty(BATCH, length, width), torch.empty(length, width))
            rows.append(
                Ratio(
                    subject="convolution, forward + backward",
                    setting=f"batch {BATCH}, d {width}, N {length}",
                    baseline=f"rfft/irfft at 2N under autograd, {layout}",
                    ours=f"{plan.path} {plan.product}".strip(),
                    baseline_seconds=best[layout],
                    ours_seconds=best["ours"],
                    bound=1.0,
                    note=how,
                )
            )
    return rows


def _report(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def crossovers() -> None:
    """Milliseconds of each path around the places where the planner changes between them."""
    _report(set_up())
    short = [(BATCH, length, 64, taps) for length in (64, 256) for taps in (3, 8, 12, 16)]
    whole = [(BATCH, length, 64, length) for length in (32, 48, 64, 96, 128)]
    _compare([*short, *whole], ("direct", "fft"))
    long = [(2048, 64), (2048, 256), (4096, 512), (16_384, 64), (16_384, 512), (16_384, 2048)]
    _compare([(16_384 // n, n, 64, taps) for n, taps in long], ("fft", "chunked"))


def _compare(sizes: Iterable[tuple[int, int, int, int]], paths: Iterable[str]) -> None:
    for batch, length, width, taps in sizes:
        steps = {
            path: step(lambda u, h, path=path: conv(u, h, path=path), batch, length, width, taps)
            for path in paths
        }
        best = interleaved(steps, rounds=5)
        times = ", ".join(f"{path} {seconds * 1e3:.2f} ms" for path, seconds in best.items())
        chosen = explain(torch.empty(batch, length, width), torch.empty(taps, width)).path
        _report(f"batch {batch}, length {length}, d {width}, taps {taps}: {times}; auto: {chosen}")


def fft_sizes() -> None:
    """Cost an element of a real transform and its inverse, by odd factor, over a power of two's."""
    _report(set_up())
    for least in (64, 256, 1024, 4096):
        sizes = {}
        for odd in (1, 3, 5, 7, 9, 15, 21, 25, 27, 45):
            size = odd
            while size < least:
                size *= 2
            if size < 2 * least:
                sizes[odd] = size
        steps = {str(odd): _round_trip(size) for odd, size in sizes.items()}
        best = interleaved(steps, rounds=9)
        unit = best["1"] / (2**18 // sizes[1] * sizes[1])
        costs = [
            f"{odd} · {size // odd}: {best[str(odd)] / (2**18 // size * size) / unit:.2f}"
            for odd, size in sizes.items()
        ]
        _report(", ".join(costs))


def _round_trip(size: int) -> Callable[[], Tensor]:
    x = torch.randn(2**18 // size, size)
    return lambda: torch.fft.irfft(torch.fft.rfft(x), size)


def main() -> None:
    """Measure what was asked for and print it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.conv", description=__doc__)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--crossovers", action="store_true", help="where paths overtake each other")
    which.add_argument("--fft-sizes", action="store_true", help="costs of transform lengths")
    crossovers() if parser.parse_args().crossovers else fft_sizes()


if __name__ == "__main__":
    main()
