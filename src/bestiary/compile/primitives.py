"""The primitives of the theory, each a function that returns a program.

See docs/theory.md, 'Primitives', and Arora et al. 2023, "Zoology" (arXiv 2312.04927), appendix H.
All arrays are (rows, channels). ``compile_program`` makes layers of them: one each, but for
``remember``, which takes two at d' = d where the paper takes five (those are in
``from_matrix.paper``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bestiary.compile import expression
from bestiary.compile.constants import Array, constant
from bestiary.compile.expression import Value, concat, conv, input_array, mul, row_scale
from bestiary.compile.extent import support
from bestiary.compile.program import Program
from bestiary.compile.rows import Rows
from bestiary.compile.sizes import row_count
from bestiary.compile.taps import Taps
from bestiary.errors import UserError, counted


def hadamard(rows: int, width: int) -> Program:
    """a ⊙ b of two arrays (rows, width) held in aligned channels: 1 layer."""
    a, b = input_array("a", width), input_array("b", width)
    return Program((a, b), mul(a, b, "a ⊙ b"), rows=rows, name="hadamard")


def scale(array: Any) -> Program:
    """array ⊙ u for a constant (rows, width) array: 1 layer."""
    numbers = _matrix(array, "the array to scale by")
    u = input_array("u", numbers.shape[1])
    scaled = row_scale(u, Rows.of(numbers), "scaled")
    return Program((u,), scaled, len(numbers), name="scale", degree=1)


def linear(rows: int, weight: Any, bias: Any = None) -> Program:
    """u W + b in every row: weight (width, out), bias (out,) or None. 1 layer."""
    row_count(rows, "a linear map")
    matrix = _matrix(weight, "the weight of a linear map")
    u = input_array("u", matrix.shape[0])
    numbers = None
    if bias is not None:
        given = constant(bias, "the bias of a linear map")
        if given.shape != (matrix.shape[1],):
            raise UserError(
                f"a bias of shape {given.shape} was given for "
                f"{counted(matrix.shape[1], 'channel')} out"
            )
        numbers = Rows.of(np.broadcast_to(given, (rows, len(given))))
    mapped = expression.linear(u, matrix, numbers, "u W + b")
    return Program((u,), mapped, rows, name="linear", degree=1)


def shift(rows: int, width: int, by: int) -> Program:
    """Rows ``by`` down, up where negative; 0 where nothing comes from, cut after ``rows``.

    At most 1 layer. Up-shifts are no operation: the result is read ``-by`` rows further down.
    """
    u = input_array("u", width)
    moved = expression.shift(u, by, f"u {by:+d} rows")
    return Program((u,), moved, rows, name="shift", degree=1)


def add_n(rows: int, array: Any, start: int = 0) -> Program:
    """y plus a constant array (n, width) on the block of n rows from ``start``, the rest untouched.

    1 layer: δ0 and the array as B2. The paper's takes 3. ``UserError`` for a block that is not
    inside of the rows.
    """
    numbers = _matrix(array, "the array to add")
    _check_block(rows, start, len(numbers), "the block to add to")
    y = input_array("y", numbers.shape[1])
    added = expression.add(y, Rows.of(numbers, start), "y + S")
    return Program((y,), added, rows, name="add", degree=1)


def remember(filter: Any, scale: Any, m: int, s: int = 0, t: int = 0) -> Program:
    """y = [x; 0; v; 0] of n, s, m and t rows, with x replaced by p ⊙ (h * x) modulo X^n, v kept.

    filter: h, (taps, width). scale: p, (n, width). 2 layers at d' = d and N' = 2·(n + s + m + t):
    the convolution side brings h * x below y, gated by p, while the gate side carries v; then both
    are read from below. ``UserError`` for shapes that differ and negative sizes.
    """
    p, h = _matrix(scale, "the scale p"), _matrix(filter, "the filter h")
    n, width = p.shape
    if h.shape[1] != width:
        raise UserError(
            f"the filter has {counted(h.shape[1], 'channel')}, the scale {width}; give as many"
        )
    for size, what in ((m, "m"), (s, "s"), (t, "t")):
        if row_count(size, what) < 0:
            raise UserError(f"{what} is {size}; a number of rows is 0 or more")
    total, at = n + s + m + t, n + s
    y = input_array("y", width)
    kept = np.ones((m, width))
    below = conv(Taps.of(h[:n], total), y)
    both = mul(y + Rows.of(p, total), below + Rows.of(kept, at), "h * x below v")
    mask = Rows.of(np.concatenate([np.ones(n), np.zeros(s), np.ones(m)]), total)
    together = row_scale(conv({0: 1.0, total: 1.0}, both), mask, "remembered")
    return Program((y,), together, total, (total, 2 * total), name="remember", degree=1)


def compose(first: Program, second: Program, carried: int = 0) -> Program:
    """``second`` of what ``first`` gives, beside ``carried`` channels that stay as they are.

    The carried channels come after those of ``first``, and out after those of ``second``. Layers
    are at most those of both. ``UserError`` where rows, channels or modes do not fit.
    """
    lo, hi = first.window
    if (hi - lo, first.output.width) != (second.rows, second.width):
        raise UserError(
            f"{first.name} gives {hi - lo} rows of "
            f"{counted(first.output.width, 'channel')}; {second.name} "
            f"takes {second.rows} of {second.width}"
        )
    if (first.mode, first.ring) != (second.mode, second.ring):
        raise UserError(
            f"{first.name} is {first.mode} and {second.name} {second.mode}, or in another ring; "
            "programs that run one after the other need the same"
        )
    if carried and (second.window != (0, first.rows) or first.rows != second.rows):
        raise UserError(
            f"channels cannot be carried beside {first.name} and {second.name}, which give other "
            "rows than they take"
        )
    between = _read(first)
    made: dict[int, Value] = {}
    offset = 0
    for given in second.inputs:
        made[id(given)] = between[offset : offset + given.width]
        offset += given.width
    for value in second.order:
        if id(value) not in made:
            made[id(value)] = value.remade([made[id(o)] for o in value.operands])
    output, inputs = made[id(second.output)], first.inputs
    if carried:
        beside = input_array("carried", carried)
        output, inputs = concat([output, beside]), (*inputs, beside)
    return replace(
        second,
        inputs=inputs,
        output=output,
        rows=first.rows,
        reads=second.window,
        name=f"{second.name} of {first.name}",
        degree=known_degree(first, second),
    )


def known_degree(first: Program, second: Program) -> int | None:
    """Of one after the other, where that of both is known; what is carried has degree 1."""
    if first.degree is None or second.degree is None:
        return None
    return max(1, first.degree) * max(1, second.degree)


def _read(program: Program) -> Value:
    """The output as an input of another program: its first row read at row 0, 0 outside."""
    lo, hi = program.window
    output = program.output
    inside = support(program)[id(output)]
    if program.ring is not None or not (lo <= inside[0] and inside[1] <= hi):
        output = row_scale(output, Rows.window(lo, hi), f"{program.output.name} read")
    return expression.shift(output, -lo) if lo else output


def _matrix(array: Any, what: str) -> Array:
    numbers = constant(array, what)
    if numbers.ndim != 2 or 0 in numbers.shape:
        raise UserError(f"{what} has shape {numbers.shape}; (rows, channels) is needed")
    return numbers


def _check_block(rows: int, start: int, count: int, what: str) -> None:
    if start < 0 or start + count > rows:
        raise UserError(
            f"{what} is rows {start} to {start + count - 1}; it must be inside of rows 0 to "
            f"{rows - 1}"
        )
