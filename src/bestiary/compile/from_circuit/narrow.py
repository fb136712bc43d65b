"""The paper's layout: the values of one depth at a time, d in a row, routed from depth to depth.

A depth's values lie row by row in an array of as many positions as the circuit is wide. Two
selections (in (BB*)^2) bring each gate of the next depth its left and its
right operand; then every position multiplies or adds what it got. So a depth takes
8·log2 n + 4·log2 d − 2 layers for n rows of d ≥ 2 channels, N' = O(w/d) rows in a ring and
O(Δ·w/d) where delays add up. Source: Arora et al., "Zoology", 2023, Theorem H.21.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bestiary.circuits import Circuit
from bestiary.compile.bounds import Bound, our_kaleidoscope_bound
from bestiary.compile.constants import Array, plain
from bestiary.compile.expression import Value, constant_array, input_array, mul, row_scale, total
from bestiary.compile.from_circuit.depths import Depth, depths_of
from bestiary.compile.from_circuit.ports import check_circuit
from bestiary.compile.from_matrix.chain import chain
from bestiary.compile.from_matrix.channel_groups import apply_level
from bestiary.compile.from_matrix.layout import Layout
from bestiary.compile.from_matrix.level import check_radix, merged
from bestiary.compile.program import Mode, Program
from bestiary.compile.rows import Rows
from bestiary.structured.transforms import selection


def narrow(circuit: Circuit, d: int = 1, mode: Mode = "causal", radix: int = 2) -> Program:
    """A circuit on vectors that lie row by row, ``d`` numbers a row, outputs first in the same way.

    Inputs and outputs are padded with zeros to whole rows. radix: how many rows or channels a level
    of the routing may mix. ``UserError`` for no inputs, complex constants, and a d that is no power
    of two.
    """
    check_circuit(circuit)
    check_radix(radix)
    depths = depths_of(circuit)
    given = -(-circuit.width_in // d) * d
    layout = Layout.of(given, _positions(depths, d), d, mode=mode)
    x = input_array("x", layout.width, layout.labels("x"))
    value: Value = x
    before = depths[0]
    for number, depth in enumerate(depths[1:], start=1):
        value = _next(value, before, depth, layout, radix, f"depth {number}")
        before = depth
    rows = -(-len(circuit.results) // d)
    return Program(
        (x,),
        value,
        rows=layout.given,
        reads=(0, rows),
        mode=mode,
        ring=layout.ring or None,
        name=circuit.name,
    )


def narrow_bound(circuit: Circuit, d: int = 1, mode: Mode = "causal") -> Bound:
    """Layers, rows and channels of this layout at radix 2: a selection in (BB*)^2 and a product a
    depth, one layer more at the end, and one where d = 1.
    """
    depths = depths_of(circuit)
    n = _positions(depths, d) // d
    depth = len(depths) - 1
    routed = our_kaleidoscope_bound(n, d, 2).layers
    assert routed is not None
    rows = n if mode == "circular" else (4 * depth + 1) * n
    layers = depth * (max(routed, 1) + 1) + (1 if d > 1 else 2)
    return Bound(layers, rows, 4 * d, "a selection in (BB*)^2 for every depth")


def _positions(depths: Sequence[Depth], d: int) -> int:
    widest = max(len(depth.gates) for depth in depths)
    return 1 << (max(widest, d) - 1).bit_length()


def _next(
    value: Value, before: Depth, depth: Depth, layout: Layout, radix: int, name: str
) -> Value:
    """The values of a depth out of those of the one before it."""
    place = {gate: i for i, gate in enumerate(before.gates)}
    parts: list[Value] = []
    sides = [
        _routed(value, [place.get(gate, -1) for gate in side], layout, radix, f"{name}, {told}")
        for side, told in ((depth.left, "left"), (depth.right, "right"))
    ]
    left, right = sides
    over, on = (_over(layout, np.array(w)) for w in (depth.left_weights, depth.right_weights))
    if any(depth.product):
        assert left is not None and right is not None
        # One product serves all positions: the right side is the operand or the left one's weight.
        chosen = _over(layout, np.array(depth.product, dtype=int))
        parts.append(mul(left, row_scale(right, chosen) + over, f"{name}, products"))
    elif left is not None:
        parts.append(row_scale(left, over))
    if right is not None and any(depth.right_weights):
        parts.append(row_scale(right, on))
    if any(depth.numbers) or not parts:
        numbers = _over(layout, np.array(depth.numbers))
        parts.append(constant_array(numbers, layout.width, f"{name}, numbers"))
    return total(parts, name)


def _routed(
    value: Value, sources: Sequence[int], layout: Layout, radix: int, name: str
) -> Value | None:
    """Position i gets what is at ``sources[i]``, 0 at the others; None where all get 0."""
    padded = np.full(layout.size, -1)
    padded[: len(sources)] = sources
    if (padded < 0).all():
        return None
    if (padded == np.arange(layout.size))[padded >= 0].all():
        return value
    levels = merged(chain(selection(padded)), radix, layout.layers)
    for number, level in enumerate(levels, start=1):
        value = apply_level(value, level, layout, f"{name} {number}")
    return value


def _over(layout: Layout, numbers: Array) -> Rows:
    """Numbers of positions as rows of channels."""
    numbers = plain(numbers)
    padded = np.zeros(layout.size, dtype=numbers.dtype)
    padded[: len(numbers)] = numbers
    return Rows.of(padded.reshape(layout.rows, layout.channels))
