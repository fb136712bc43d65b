"""A gated form as a program that is as wide as its input: z and u are blocks of rows.

Every block has N rows. A layer has one W and one filter a channel, so all blocks go through both;
biases that differ by block make gates of 0 and 1 and decide what is kept. See
docs/theory.md, 'Time layout': z in block a, u in block a + 1. A first layer makes z^0, then two a
step:

(A) gate: 1 on blocks a and a + 3, W = 0; filter h + X^2N. Leaves h * z in a and u in a + 3.
(B) gate: u W + b on a + 3, 1 on a + 4; filter X^3N + X^N. Leaves the new z in a + 3, u in a + 4.

A gate behind a short convolution s needs a layer to be projected and one to be filtered, and both
can be had in the same two layers, if h * z is made beside the projection and multiplied by what the
*convolution* side filters:

(P) gate: u W + b where u lies, with 1 on the convolution side there, 1 on the blocks of h * z and
    u; filter h X^iN + X^jN. Leaves q = u W + b, y = h * z and u.
(M) W = 1, so that the gate is y where y lies; filter s X^aN + X^bN, so that s * q arrives there.

``MOVES`` are the least i, j, a, b for which no block is written over by another's filter, which
spills into one block more; found by trying all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bestiary.compile.constants import Array
from bestiary.compile.expression import Value, conv, input_array, linear, mul, row_scale
from bestiary.compile.gated_form import GatedForm, GatedStep, Projection
from bestiary.compile.program import Program
from bestiary.compile.rows import Rows
from bestiary.compile.taps import Taps
from bestiary.errors import UserError, counted


class Moves(NamedTuple):
    """By how many blocks the two filters of (P) and (M) move; None where u is needed no more."""

    p_kernel: int
    p_rest: int | None
    m_taps: int
    m_rest: int | None


MOVES = {
    "first": Moves(6, 2, 5, 1),
    "middle": Moves(3, 1, 5, 2),
    "last": Moves(3, None, 5, None),
    "only": Moves(2, None, 1, None),
}
"""By place of the step: from u one block below z, then from u two blocks above z."""


def block_program(form: GatedForm, length: int, name: str) -> Program:
    """A program of width d: 2·L + 1 layers, one more for a map of the output.

    N' is (3L + 1)·N without short convolutions on the gates, (3L + 4)·N with them, 3N where L = 1.
    ``UserError`` where z is not as wide as the input.
    """
    if form.width != form.d_model:
        raise UserError(
            f"the time layout of {name} would need "
            f"{counted(form.width, 'channel')} of z in rows of "
            f"{form.d_model}; layout 'channel' takes any number"
        )
    form = form.folded(length)
    u = input_array("u", form.d_model)
    blocks = Blocks(length, form.width)
    z_and_u = first_layer(u, form.value, blocks)
    z, moving = (0, z_and_u)
    if form.reach == 1:
        for number, step in enumerate(form.steps, start=1):
            moving = plain_step(moving, step, z, blocks, number)
            z += 3
    else:
        below = 1
        for number, step in enumerate(form.steps, start=1):
            moves = MOVES[place(number, len(form.steps))]
            moving = tapped_step(moving, step, (z, z + below), moves, blocks, number)
            z, below = z + moves.p_kernel, -2
    if form.output_weight is not None or form.output_bias is not None:
        weight = np.eye(form.width) if form.output_weight is None else form.output_weight
        moving = linear(moving, weight, form.output_bias, "y")
    reads = (z * length, (z + 1) * length)
    return Program((u,), moving, length, reads, name=name, degree=form.degree)


class Blocks:
    """Row constants that are given block by block."""

    def __init__(self, length: int, width: int) -> None:
        self.length, self.width = length, width

    def rows(self, values: dict[int, Array | float | None]) -> Rows:
        """{block: a number, a number a channel, or (N, width)}, 0 elsewhere and for None."""
        present = {block: value for block, value in values.items() if value is not None}
        first, last = min(present), max(present)
        out = np.zeros(((last - first + 1) * self.length, self.width))
        for block, value in present.items():
            row = (block - first) * self.length
            whole = np.broadcast_to(np.asarray(value, dtype=float), (self.length, self.width))
            out[row : row + self.length] = whole
        return Rows.of(out, first * self.length)

    def down(self, *blocks: int | None) -> Taps:
        """The filter that moves what there is down by each of these numbers of blocks."""
        return Taps.at({block * self.length: 1.0 for block in blocks if block is not None})


def place(number: int, steps: int) -> str:
    """Which step it is, as ``MOVES`` names them."""
    if number == 1:
        return "only" if steps == 1 else "first"
    return "last" if number == steps else "middle"


def first_layer(u: Value, value: Projection, blocks: Blocks) -> Value:
    """z^0 in block 0 and u in block 1."""
    gate = linear(u, value.weight, blocks.rows({0: value.bias, 1: 1}))
    return mul(gate, conv(blocks.down(1), u) + blocks.rows({0: 1}), "z0 over u")


def plain_step(moving: Value, step: GatedStep, z: int, blocks: Blocks, number: int) -> Value:
    """(A) and (B)."""
    kernel = Taps.of(step.kernel, what=f"kernel {number}") + blocks.down(2)
    filtered = conv(kernel, moving)
    if step.bias is not None:
        filtered = filtered + blocks.rows({z: step.bias})
    kept = row_scale(filtered, blocks.rows({z: 1, z + 3: 1}), f"h{number} * z{number - 1}, u")
    gate = linear(kept, step.gate.weight, blocks.rows({z + 3: step.gate.bias, z + 4: 1}))
    return mul(gate, conv(blocks.down(3, 1), kept), f"z{number} over u")


def tapped_step(
    moving: Value,
    step: GatedStep,
    at: tuple[int, int],
    moves: Moves,
    blocks: Blocks,
    number: int,
) -> Value:
    """(P) and (M), from z and u in the blocks ``at``."""
    z, q = at
    y = z + moves.p_kernel
    u = None if moves.p_rest is None else q + moves.p_rest
    kernel = Taps.of(step.kernel, what=f"kernel {number}").shifted(moves.p_kernel * blocks.length)
    if moves.p_rest is not None:
        kernel = kernel + blocks.down(moves.p_rest)
    kept: dict[int, Array | float | None] = {q: step.gate.bias, y: 1}
    if u is not None:
        kept[u] = 1
    gate = linear(moving, step.gate.weight, blocks.rows(kept))
    beside = blocks.rows({q: 1, y: step.bias})
    projected = mul(gate, conv(kernel, moving) + beside, f"q{number}, h{number} * z{number - 1}")

    short = np.ones((1, blocks.width)) if step.gate.taps is None else step.gate.taps
    taps = Taps.of(short, what=f"the taps of gate {number}").shifted(moves.m_taps * blocks.length)
    gate = projected
    if u is not None and moves.m_rest is not None:
        taps = taps + blocks.down(moves.m_rest)
        gate = projected + blocks.rows({u + moves.m_rest: 1})
    filtered = conv(taps, projected)
    if step.gate.taps_bias is not None:
        filtered = filtered + blocks.rows({y: step.gate.taps_bias})
    return mul(gate, filtered, f"z{number}")
