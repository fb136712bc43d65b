"""What the stack of a circuit is compared with, and on which inputs.

The circuit is evaluated gate by gate, in numpy, and exactly where everything is a whole number. The
probes of all stacks are tried, and 0s and 1s besides, but for those that decide nothing: where the
circuit's own rounding may exceed what is asked of the stack. How much that is shows in the same
circuit with every sign a plus: on the sizes of the inputs it bounds all sums on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bestiary.circuits import Circuit, Operation, evaluate, evaluate_batch
from bestiary.circuits.number import Number
from bestiary.compile.circuit_form import CircuitForm, Floats
from bestiary.compile.probes import probes
from bestiary.compile.verify import TOLERANCE, Function
from bestiary.errors import UserError

RANDOM_BITS = 32
"""Vectors of random bits."""
SINGLE = 16
"""Bits of which one by itself is tried; of more a random choice."""
ALL_BITS = 8
"""Up to so many inputs every vector of bits is tried."""
MOST_EXACT = 2_000_000
"""Gates evaluated exactly, over all examples of a kind; the rest is float64."""
EPSILON = float(np.finfo(np.float64).eps)
WHOLE = 2.0**53
"""Up to this float64 holds every whole number."""


def circuit_function(circuit: Circuit, form: CircuitForm) -> Function:
    """What a stack of ``form`` is to compute: (batch, rows, channels) → the same of outputs."""

    def function(x: Tensor) -> Tensor:
        rows, channels = x.shape[1:]
        examples = form.examples(x.double().numpy())
        return torch.from_numpy(form.output_array(_evaluated(circuit, examples), rows, channels))

    return function


def circuit_probes(
    circuit: Circuit, form: CircuitForm, rows: int, channels: int
) -> dict[str, Tensor]:
    """Batches of shape (batch, rows, channels), float64, by what they try.

    ``UserError`` where the circuit has no finite value on any of them.
    """
    found = dict(_bits(form, rows, channels))
    if not form.bits:
        for kind, batch in probes(rows, channels).items():
            examples = form.examples(batch.numpy())
            found[kind] = form.input_array(np.ascontiguousarray(examples), rows, channels)
    doubts = {
        kind: _doubt(circuit, np.ascontiguousarray(form.examples(batch)), form.bits)
        for kind, batch in found.items()
    }
    least = min(doubts.values())
    if not np.isfinite(least):
        raise UserError(
            f"{circuit.name} has no value that float64 can hold on any of the inputs that are "
            f"tried, for its degree is {_told(circuit.degree)}; scale its constants down"
        )
    allowed = max(least, TOLERANCE / 10)
    return {
        kind: torch.from_numpy(np.ascontiguousarray(batch))
        for kind, batch in found.items()
        if doubts[kind] <= allowed
    }


def _evaluated(circuit: Circuit, examples: Floats) -> Floats:
    """(examples, outputs): whole numbers exactly, as far as that takes no longer than seconds."""
    found = _floats(circuit, examples)
    if all(isinstance(number, int) for number in circuit.constants):
        # Where the outputs are finite, so is all on the way, and no number is long.
        whole = (examples == np.round(examples)).all(axis=1) & np.isfinite(found).all(axis=1)
        for at in np.flatnonzero(whole)[: MOST_EXACT // len(circuit)].tolist():
            values: list[Number] = evaluate(circuit, [int(x) for x in examples[at]])
            found[at] = [float(value) for value in values]  # type: ignore[arg-type]
    return found


@np.errstate(over="ignore", invalid="ignore")
def _floats(circuit: Circuit, examples: Floats) -> Floats:
    found: NDArray[np.float64] = np.array(evaluate_batch(circuit, examples), dtype=np.float64)
    return found


def _bits(form: CircuitForm, rows: int, channels: int) -> Iterator[tuple[str, Floats]]:
    """Vectors of 0 and 1, all of them where they are few."""
    width = form.taken
    count = rows * width if form.layout == "wide" else width
    rng = np.random.default_rng(np.random.SeedSequence([rows, channels, count]))
    if count <= ALL_BITS:
        every = (np.arange(1 << count)[:, None] >> np.arange(count)) & 1
        kinds = {"all bits": every.astype(float)}
    else:
        shares = rng.random((RANDOM_BITS, 1))
        single = np.eye(count)[rng.permutation(count)[:SINGLE]]
        kinds = {
            "bits": (rng.random((RANDOM_BITS, count)) < 0.5).astype(float),
            "bits of any share": (rng.random((RANDOM_BITS, count)) < shares).astype(float),
            "all bits alike": np.array([[0.0], [1.0]]).repeat(count, axis=1),
            "one bit set": single,
            "one bit clear": 1 - single,
        }
    for kind, batch in kinds.items():
        yield kind, form.input_array(np.reshape(batch, (-1, width)), rows, channels)


def _doubt(circuit: Circuit, examples: Floats, bits: bool) -> float:
    """By how much of the largest output float64 may be wrong; infinite where it has none.

    bits: the circuit is of bits, so that all that its layers add up on them is small and whole.
    """
    found = _floats(circuit, examples)
    if not np.isfinite(found).all():
        return np.inf
    if bits:
        return 0.0
    sizes = _floats(_without_signs(circuit), np.abs(examples)).max(initial=0)
    whole = (examples == np.round(examples)).all()
    if whole and sizes <= WHOLE and all(isinstance(number, int) for number in circuit.constants):
        return 0.0
    largest = float(np.abs(found).max(initial=0))
    rounding = EPSILON * max(1, circuit.depth) * float(sizes)
    if rounding == 0:
        return 0.0
    return rounding / largest if largest > 0 else np.inf


def _without_signs(circuit: Circuit) -> Circuit:
    """The circuit with plus for minus and the sizes of its constants."""
    operations = circuit.operations.copy()
    operations[operations == Operation.SUBTRACT] = Operation.ADD
    # Circuits of stacks are real.
    reals = [n for n in circuit.constants if not isinstance(n, complex)]
    return replace(circuit, operations=operations, constants=tuple(max(n, -n) for n in reals))


def _told(degree: int) -> str:
    return f"{degree:,}" if degree < 10**9 else f"about 2^{degree.bit_length() - 1}"
