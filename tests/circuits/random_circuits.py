"""Random circuits with what they shall give, computed without them.

A recipe is drawn first: steps over earlier steps, of sums, differences, products and exact
constants, some never used. Its outputs may repeat, and may be inputs or constants. The circuit is
built from it, and ``expected`` follows the recipe in plain Python. What is chosen comes from
``choose``: numpy gives many circuits fast, hypothesis ones that it can shrink.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from bestiary.circuits import Builder, Circuit

Choose = Callable[[int], int]
"""One of the numbers 0 to n - 1, for n."""

CONSTANTS = (0, 1, -1, 2, -3, 7, Fraction(1, 2), Fraction(-2, 3), Fraction(7, 5))
MOST_DEGREE = 8


@dataclass(frozen=True)
class RandomCircuit:
    """A recipe and its circuit. steps: (kind, a, b), a an input's place, a constant or a step."""

    steps: tuple[tuple[str, Any, int], ...]
    outputs: tuple[int, ...]
    circuit: Circuit

    def expected(self, values: Sequence[Any]) -> list[Any]:
        """What comes out, by the recipe."""
        done: list[Any] = []
        for kind, a, b in self.steps:
            if kind == "input":
                done.append(values[a])
            elif kind == "constant":
                done.append(a)
            elif kind == "+":
                done.append(done[a] + done[b])
            elif kind == "-":
                done.append(done[a] - done[b])
            else:
                done.append(done[a] * done[b])
        return [done[step] for step in self.outputs]


def by_numpy(seed: int | list[int]) -> Choose:
    """Choices out of a seed."""
    rng = np.random.default_rng(seed)
    return lambda n: int(rng.integers(n))


def random_circuit(choose: Choose, most_steps: int = 25, most_inputs: int = 5) -> RandomCircuit:
    """A circuit of up to so many gates that compute something, of degree ``MOST_DEGREE`` at most.

    Its inputs are a scalar "s" and a vector "v"; its outputs a scalar "t" and a vector "w", which
    may be empty.
    """
    builder = Builder()
    width = choose(most_inputs)
    gates = builder.input("s") + builder.input("v", (width,))
    steps: list[tuple[str, Any, int]] = [("input", place, 0) for place in range(1 + width)]
    degrees = [1] * len(steps)
    for _ in range(choose(most_steps + 1)):
        kind = "+-*c"[choose(4)]
        a, b = choose(len(steps)), choose(len(steps))
        if kind == "c":
            number = CONSTANTS[choose(len(CONSTANTS))]
            steps.append(("constant", number, 0))
            gates.append(builder.constant(number))
            degrees.append(0)
        elif kind == "*" and degrees[a] + degrees[b] > MOST_DEGREE:
            continue
        else:
            combine = {"+": builder.add, "-": builder.subtract, "*": builder.multiply}[kind]
            steps.append((kind, a, b))
            gates.append(combine(gates[a], gates[b]))
            degrees.append(degrees[a] + degrees[b] if kind == "*" else max(degrees[a], degrees[b]))
    outputs = tuple(choose(len(steps)) for _ in range(1 + choose(5)))
    results = [gates[step] for step in outputs]
    made = {"t": ((), results[:1]), "w": ((len(results) - 1,), results[1:])}
    return RandomCircuit(tuple(steps), outputs, builder.finished(made, "random"))


@st.composite
def random_circuits(draw: Any, most_steps: int = 25, most_inputs: int = 5) -> RandomCircuit:
    """Circuits that hypothesis can shrink."""
    return random_circuit(lambda n: draw(st.integers(0, n - 1)), most_steps, most_inputs)


def inputs_of(circuit: Circuit, numbers: st.SearchStrategy[Any] | None = None) -> Any:
    """One number an input; small whole numbers and fractions unless others are asked for."""
    if numbers is None:
        numbers = st.integers(-9, 9) | st.fractions(-2, 2, max_denominator=6)
    return st.lists(numbers, min_size=circuit.width_in, max_size=circuit.width_in)
