"""A gated form as a program in which z and what the gates read lie in channels of their own.

Without short convolutions on the gates: L + 1 layers of width d + d (z beside u). A gate behind a
short convolution of k taps takes one more layer, in one of two ways:

* ``shifted``: k copies of u, each moved down by another number of rows, and every gate a linear map
  of all of them: (k + 1)·d channels.
* ``projected``: the L gates projected at once and then filtered in place: (L + 1)·d channels.

See docs/theory.md, 'Channel layout'.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from bestiary.compile.constants import Array
from bestiary.compile.expression import (
    Value,
    concat,
    conv,
    input_array,
    linear,
    mul,
    shift,
)
from bestiary.compile.gated_form import GatedForm, Projection, rows_of
from bestiary.compile.program import Program
from bestiary.compile.rows import Rows
from bestiary.compile.taps import Taps

GateWay = Literal["shifted", "projected"]


def channel_programs(form: GatedForm, length: int, name: str) -> list[Program]:
    """The programs among which the smallest stack is to be chosen; one where there is no choice."""
    form = form.folded(length)
    ways: tuple[GateWay, ...] = ("shifted", "projected") if form.reach > 1 else ("shifted",)
    return [channel_program(form, length, name, way) for way in ways]


def channel_program(form: GatedForm, length: int, name: str, way: GateWay) -> Program:
    """A folded form as a program of ``length`` rows."""
    u = input_array("u", form.d_model)
    copies = [u, *(shift(u, s, f"u shifted {s}") for s in range(1, form.reach))]
    shifted = concat(copies, "u shifted") if way == "shifted" else u
    z = linear(u, form.value.weight, in_rows(form.value.bias, length), "z0")
    for number, step in enumerate(form.steps, start=1):
        if step.gate.taps is None:
            gate = linear(u, step.gate.weight, step.gate.bias, f"p{number}")
        elif way == "shifted":
            gate = gate_of_shifted(step.gate, shifted, f"p{number}")
        else:
            gate = filtered_gate(step.gate, u, length, f"p{number}")
        filtered = conv(
            Taps.of(step.kernel, what=f"kernel {number}"), z, f"h{number} * z{number - 1}"
        )
        if step.bias is not None:
            filtered = filtered + Rows.of(step.bias)
        z = mul(gate, filtered, f"z{number}")
    if form.output_weight is not None or form.output_bias is not None:
        weight = np.eye(form.width) if form.output_weight is None else form.output_weight
        z = linear(z, weight, form.output_bias, "y")
    return Program((u,), z, length, name=name, degree=form.degree)


def gate_of_shifted(gate: Projection, shifted: Value, name: str) -> Value:
    """Σ_s (u moved down by s) · weight · taps[s], and what the biases come to in each row."""
    assert gate.taps is not None
    weight = np.zeros((shifted.width, gate.width))
    maps = gate.taps[:, None] * gate.weight
    weight[: len(maps) * len(gate.weight)] = np.concatenate(list(maps))
    return linear(shifted, weight, starting_bias(gate), name)


def starting_bias(gate: Projection) -> Rows | None:
    """taps * bias + taps_bias: the first rows see fewer taps than all later ones."""
    assert gate.taps is not None
    bias = np.zeros(gate.width) if gate.bias is None else gate.bias
    after = np.zeros(gate.width) if gate.taps_bias is None else gate.taps_bias
    by_row = np.cumsum(gate.taps, axis=0) * bias + after
    return Rows(0, by_row[:-1], by_row[-1]) if by_row.any() else None


def filtered_gate(gate: Projection, u: Value, length: int, name: str) -> Value:
    """The projection in channels of its own, then its taps."""
    assert gate.taps is not None
    before = linear(u, gate.weight, in_rows(gate.bias, length), f"{name} before its taps")
    after = conv(Taps.of(gate.taps, what=f"the taps of {name}"), before, name)
    return after if gate.taps_bias is None else (after + gate.taps_bias).named(name)


def in_rows(bias: Array | None, length: int) -> Rows | None:
    """A bias in rows 0..length-1 alone: what is convolved later must be 0 above row 0."""
    return None if bias is None or not bias.any() else Rows.of(rows_of(bias, length))
