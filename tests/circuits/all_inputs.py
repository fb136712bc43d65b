"""Every input of a function of bits at once: through its circuit, and through plain numbers."""

from __future__ import annotations

import itertools

import numpy as np

from bestiary.circuits import Circuit, evaluate_batch
from bestiary.circuits.tracing import traced


def results_of(function, *lengths, coding=(0, 1)):
    """For all bits of arguments of such lengths (0: a scalar): arguments, and what comes out.

    The circuit's results, which are the same as those of plain numbers; its circuit comes last.
    """
    names = [f"x{i}" for i in range(len(lengths))]
    made = traced_bits(function, *lengths)
    rows = list(itertools.product(coding, repeat=sum(max(n, 1) for n in lengths)))
    by_circuit = evaluate_batch(made, np.array(rows))
    arguments = []
    for row, found in zip(rows, by_circuit.tolist(), strict=True):
        left = list(row)
        given = [[left.pop(0) for _ in range(n)] if n else left.pop(0) for n in lengths]
        plain = flat(function(*given))
        assert plain == found, (names, given)
        assert all(isinstance(number, int) for number in plain)
        arguments.append(given)
    return arguments, by_circuit.astype(int).tolist(), made


def traced_bits(function, *lengths) -> Circuit:
    """The circuit of a function of arguments of such lengths; 0 is a scalar."""
    names = [f"x{i}" for i in range(len(lengths))]
    space = {"function": function, "flat": flat}
    exec(f"def f({', '.join(names)}): return flat(function({', '.join(names)}))", space)
    shapes = {name: n for name, n in zip(names, lengths, strict=True) if n}
    return traced(space["f"], shapes)


def flat(value):
    """What a function of bits gives as one list."""
    if isinstance(value, list | tuple):
        return [entry for part in value for entry in flat(part)]
    return value.ravel().tolist() if isinstance(value, np.ndarray) else [value]


def number(bits):
    """What bits stand for, the one of 2⁰ first."""
    return int("".join(str(int(bit)) for bit in reversed(bits)) or "0", 2)
