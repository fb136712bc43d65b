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
from operator import and_, or_, xor
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
            elif kind == "*":
                done.append(done[a] * done[b])
            elif kind == "~":
                done.append(1 - done[a])
            else:
                done.append({"&": and_, "|": or_, "^": xor}[kind](done[a], done[b]))
        return [done[step] for step in self.outputs]


def by_numpy(seed: int | list[int]) -> Choose:
    """Choices out of a seed."""
    rng = np.random.default_rng(seed)
    return lambda n: int(rng.integers(n))


def random_circuit(
    choose: Choose,
    most_steps: int = 25,
    most_inputs: int = 5,
    most_degree: int = MOST_DEGREE,
    kinds: str = "+-*c",
) -> RandomCircuit:
    """A circuit of up to so many gates that compute something, of so low a degree.

    kinds: of the steps, each as often as it stands there; "&|^~" are boolean, of polynomials that
    give 0 or 1 for 0 and 1. Late steps are taken as operands more often than early ones. The
    inputs are a scalar "s" and a vector "v"; the outputs a scalar "t" and a vector "w", which may
    be empty.
    """
    builder = Builder()
    width = choose(most_inputs)
    gates = builder.input("s") + builder.input("v", (width,))
    steps: list[tuple[str, Any, int]] = [("input", place, 0) for place in range(1 + width)]
    degrees = [1] * len(steps)
    for _ in range(choose(most_steps + 1)):
        kind = kinds[choose(len(kinds))]
        a, b = len(steps) - 1 - choose(1 + choose(len(steps))), choose(len(steps))
        if kind == "c":
            number = CONSTANTS[choose(len(CONSTANTS))]
            steps.append(("constant", number, 0))
            gates.append(builder.constant(number))
            degrees.append(0)
        elif kind not in "+-" and degrees[a] + degrees[b] > most_degree:
            continue
        else:
            steps.append((kind, a, b))
            gates.append(_combined(builder, kind, gates[a], gates[b]))
            lone = kind in "+-" or kind == "~"
            degrees.append(max(degrees[a], degrees[b]) if lone else degrees[a] + degrees[b])
    outputs = tuple(choose(len(steps)) for _ in range(1 + choose(5)))
    results = [gates[step] for step in outputs]
    made = {"t": ((), results[:1]), "w": ((len(results) - 1,), results[1:])}
    return RandomCircuit(tuple(steps), outputs, builder.finished(made, "random"))


def _combined(builder: Builder, kind: str, a: int, b: int) -> int:
    """The gate of a step."""
    if kind in "+-*":
        combine = {"+": builder.add, "-": builder.subtract, "*": builder.multiply}[kind]
        return combine(a, b)
    if kind == "~":
        return builder.subtract(builder.constant(1), a)
    both = builder.multiply(a, b)
    if kind == "&":
        return both
    twice = builder.multiply(builder.constant(2), both) if kind == "^" else both
    return builder.subtract(builder.add(a, b), twice)


@st.composite
def random_circuits(draw: Any, most_steps: int = 25, **kind: Any) -> RandomCircuit:
    """Circuits that hypothesis can shrink."""
    return random_circuit(lambda n: draw(st.integers(0, n - 1)), most_steps, **kind)


def inputs_of(circuit: Circuit, numbers: st.SearchStrategy[Any] | None = None) -> Any:
    """One number an input; small whole numbers and fractions unless others are asked for."""
    if numbers is None:
        numbers = st.integers(-9, 9) | st.fractions(-2, 2, max_denominator=6)
    return st.lists(numbers, min_size=circuit.width_in, max_size=circuit.width_in)
