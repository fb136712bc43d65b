"""Learn the DFT, and recover permutations, from examples: success over seeds, as a table.

python docs/studies/learned_transforms.py --n 64 --seeds 20
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable

import torch

from bestiary.structured.learn import Learned, learn_dft, recover_permutation
from bestiary.structured.transforms import permutation

SUCCESS = 1e-4
"""The root mean square error, over the entries of the matrix, below which a map is learned."""


def dft(n: int, init: str, method: str) -> Callable[[int], Learned]:
    """Learn the DFT of size n from a start drawn by the seed."""
    return lambda seed: learn_dft(n, seed, init=init, method=method)


def recovered(n: int, noise: float) -> Callable[[int], Learned]:
    """Learn the seed's permutation from its own kaleidoscope with noise on every entry."""

    def run(seed: int) -> Learned:
        source = torch.randperm(n, generator=torch.Generator().manual_seed(seed))
        return recover_permutation(permutation(source.tolist()), source, noise, seed)[0]

    return run


def row(target: str, start: str, method: str, run: Callable[[int], Learned], seeds: int) -> str:
    """One line of the table: how often a map is learned, how well, and at what price."""
    began = time.process_time()
    learned = [run(seed) for seed in range(seeds)]
    seconds = (time.process_time() - began) / seeds
    errors = [one.rmse for one in learned]
    successes = sum(error < SUCCESS for error in errors)
    evaluations = statistics.median(one.evaluations for one in learned)
    return (
        f"| {target} | {start} | {method} | {successes} of {seeds} | {max(errors):.1e} "
        f"| {evaluations:.0f} | {seconds:.1f} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=64, help="a power of two")
    parser.add_argument("--seeds", type=int, default=20, help="seeds 0, 1, … of each row")
    given = parser.parse_args()
    torch.set_num_threads(1)
    sys.stdout.write(
        "| target | start | method | learned | largest RMSE | median evaluations | seconds a seed |"
        "\n|---|---|---|---|---:|---:|---:|\n"
    )
    rows = [
        ("DFT", init, method, dft(given.n, init, method))
        for init in ("orthogonal", "random")
        for method in ("lbfgs", "adam")
    ]
    rows += [
        ("permutation", f"itself, noise {noise}", "lbfgs", recovered(given.n, noise))
        for noise in (0.1, 0.3)
    ]
    for target, start, method, run in rows:
        sys.stdout.write(row(target, start, method, run, given.seeds) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
