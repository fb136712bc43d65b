"""Random arithmetic and boolean circuits through both layouts, against plain Python.

``python tests/compile/from_circuit/test_random_circuits.py`` runs many of them on all cores and
prints the seed and the time; ``make test-circuits`` runs 10,000.
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[2]))

from random_circuits import RandomCircuit, by_numpy, random_circuit

from bestiary.circuits import Circuit, balanced, parallelised
from bestiary.compile.compiling import Compiled, compile_program
from bestiary.compile.from_circuit import circuit_bounds, compile_circuit
from bestiary.compile.from_circuit.by_levels import by_levels
from bestiary.compile.interpret import interpret

TOLERANCE = 1e-11
"""Of the stack in float64, relative to the largest output or 1."""
BATCH = 100
OTHERS = 8
"""Of so many circuits in a row, an arithmetic and a boolean one take the other ways too."""


def check(made: RandomCircuit, values: list[int], d: int, mode: str, others: bool) -> None:
    """Both layouts, by levels and as chosen: exact, stacks in bounds.

    others: expanded, balanced and parallel too.
    """
    circuit, expected = made.circuit, made.expected(values)
    wide = circuit_bounds(circuit)["bound, wide"]
    for compiled in (compile_program(by_levels(circuit)), compile_circuit(circuit)):
        assert len(compiled.stack.layers) <= wide.layers
        assert compiled.stack.width <= wide.width
        check_values(compiled, np.array([values]), expected)
    if others:
        check_others(circuit, np.array([values]), expected, compiled)
    narrow = compile_circuit(circuit, "narrow", d=d, mode=mode)
    bound = circuit_bounds(circuit, "narrow", d, mode)["bound, narrow"]
    assert bound.holds(len(narrow.stack.layers), narrow.stack.inner_length, narrow.stack.width)
    padded = np.zeros(-(-len(values) // d) * d, dtype=int)
    padded[: len(values)] = values
    check_values(narrow, padded.reshape(-1, d), expected)


def check_others(circuit: Circuit, inputs: np.ndarray, expected: list, plain: Compiled) -> None:
    """Ways of fewer layers that are asked for: expanded within bounds, balanced, parallel."""
    expanded = compile_circuit(circuit, expand=4.0)
    assert len(expanded.stack.layers) <= len(plain.stack.layers)
    assert expanded.stack.width <= 4 * plain.stack.width
    check_values(expanded, inputs, expected)
    for shallow in (balanced(circuit), parallelised(circuit)):
        if shallow is not circuit:
            check_values(compile_circuit(shallow), inputs, expected)


def check_values(compiled: Compiled, inputs: np.ndarray, expected: list) -> None:
    """The placed program gives exactly what is expected, the stack in float64."""
    found = interpret(compiled.placed, inputs, exactly=True).ravel().tolist()
    assert found[: len(expected)] == expected
    assert not any(found[len(expected) :])
    with torch.no_grad():
        given = compiled.stack(torch.from_numpy(inputs.astype(float))[None]).flatten().tolist()
    scale = max(1.0, *(abs(float(value)) for value in expected))
    for one, other in zip(given, expected, strict=False):
        assert abs(one - float(other)) <= TOLERANCE * scale


def check_one(seed: int, number: int) -> None:
    """Circuit ``number`` of a seed: every other one is boolean, some take all ways."""
    choose = by_numpy([seed, number])
    boolean = number % 2 == 1
    kinds = "&|^~" if boolean else "+-*c"
    made = random_circuit(choose, most_steps=16, most_degree=32, kinds=kinds)
    values = [choose(2) if boolean else choose(9) - 4 for _ in range(made.circuit.width_in)]
    try:
        d, mode = (1, 2, 4)[choose(3)], ("causal", "circular")[choose(2)]
        check(made, values, d, mode, others=number % OTHERS < 2)
    except AssertionError as error:
        raise AssertionError(f"circuit {number} of seed {seed}: {error}") from error


def test_random_circuits_mean_the_same_in_every_layout():
    for number in range(24):
        check_one(seed=20260601, number=number)


def run(seed: int, numbers: range) -> int:
    """Check some circuits in a process of their own."""
    torch.set_num_threads(1)
    for number in numbers:
        check_one(seed, number)
    return len(numbers)


def main() -> None:
    """Check as many as asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=20260601)
    parser.add_argument("--processes", type=int, default=None, help="all cores unless given")
    asked = parser.parse_args()
    started, done = time.perf_counter(), 0
    parts = [range(i, min(i + BATCH, asked.count)) for i in range(0, asked.count, BATCH)]
    with ProcessPoolExecutor(asked.processes) as pool:
        for finished in pool.map(run, [asked.seed] * len(parts), parts):
            done += finished
            print(f"{done} of {asked.count} circuits, no mismatch", end="\r", file=sys.stderr)
    seconds = time.perf_counter() - started
    print(f"seed {asked.seed}: {done} circuits in every layout, no mismatch, {seconds:.0f} s")


if __name__ == "__main__":
    main()
