"""Random circuits for the tests: sums, differences, products and constants, some gates unused."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from bestiary.circuits import Builder

NUMBERS = (-2, -1, 2, 3, Fraction(1, 2), Fraction(-3, 4))


@st.composite
def circuits(draw, gates=30, inputs=5, depth=6):
    """Circuits of exact constants, of a multiplicative depth up to ``depth``."""
    builder = Builder()
    known = builder.input("x", (draw(st.integers(1, inputs)),))
    known.append(builder.constant(draw(st.sampled_from(NUMBERS))))
    level = dict.fromkeys(known, 0)
    for _ in range(draw(st.integers(0, gates))):
        kind = draw(st.sampled_from("++-***c"))
        # Late gates more often, so that circuits become deep.
        a = known[-1 - min(draw(st.integers(0, 9)), len(known) - 1)]
        b = draw(st.sampled_from(known))
        if kind == "+":
            gate = builder.add(a, b)
        elif kind == "-":
            gate = builder.subtract(a, b)
        elif kind == "c":
            gate = builder.multiply(builder.constant(draw(st.sampled_from(NUMBERS))), a)
        elif max(level[a], level[b]) < depth:
            gate = builder.multiply(a, b)
        else:
            continue
        new = max(level[a], level[b]) + (kind == "*")
        level[gate] = min(level.get(gate, new), new)
        known.append(gate)
    results = draw(st.lists(st.sampled_from(known), min_size=1, max_size=4))
    return builder.finished({"y": ((len(results),), results)})


def inputs_of(circuit):
    """Small whole numbers, one an input."""
    return st.lists(st.integers(-3, 3), min_size=circuit.width_in, max_size=circuit.width_in)
