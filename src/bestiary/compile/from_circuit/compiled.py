"""A circuit compiled: the choice of a layout, and nothing else."""

from __future__ import annotations

from dataclasses import replace

from bestiary.circuits import Circuit, balanced, real_pairs
from bestiary.compile.bounds import Bound
from bestiary.compile.cell import Cell
from bestiary.compile.compiling import Compiled, compile_program
from bestiary.compile.from_circuit.arrays import arrays
from bestiary.compile.from_circuit.batches import batches
from bestiary.compile.from_circuit.by_levels import by_levels
from bestiary.compile.from_circuit.levels import levels_of
from bestiary.compile.from_circuit.narrow import narrow, narrow_bound
from bestiary.compile.optimize import Optimize
from bestiary.compile.program import Mode, Program
from bestiary.compile.slack import most_wires
from bestiary.errors import UserError, unknown_name

LAYOUTS = ("wide", "narrow")
MOST_TRIED = 2000
"""Products of circuits that are placed in more than one way, for the fewest layers."""


def compile_circuit(
    circuit: Circuit,
    layout: str = "wide",
    *,
    rows: int = 1,
    channels: int | None = None,
    d: int = 1,
    mode: Mode = "causal",
    radix: int = 2,
    balance: bool = False,
    optimize: Optimize | None = None,
) -> Compiled:
    """The stack of a circuit of real numbers.

    layout:

    - ``wide``: values in channels of one row, inputs (batch, rows, inputs), the circuit for every
      row by itself; at most 2D + 1 layers and 2·w× channels for multiplicative depth D.
    - ``narrow``: values row by row, ``d`` in a row, inputs padded to (batch, ⌈inputs/d⌉, d); a few
      layers times log2 of the width for every depth, N' = O(w/d), at most 4d channels at radix 2.

    channels: of the wide layout at most; fewer take more layers (``batches``), and ``UserError``
    says where they are too few. balance: re-associate chains first. radix, mode: of the narrow
    layout's routing. optimize: search for the best schedule of a small wide circuit. ``UserError``
    for complex constants, and for settings of the other layout.
    """
    if layout not in LAYOUTS:
        raise unknown_name("layout", layout, LAYOUTS)
    if balance:
        circuit = balanced(circuit)
    if layout == "narrow":
        if rows != 1 or channels is not None or optimize is not None:
            raise UserError(
                "rows, channels and optimize are settings of the wide layout, not of the narrow"
            )
        return compile_program(_told(circuit, narrow(circuit, d, mode, radix)))
    if (d, mode, radix) != (1, "causal", 2):
        raise UserError("d, mode and radix are settings of the narrow layout, not of the wide one")
    if optimize is not None:
        return compile_program(_told(circuit, arrays(circuit, rows)), optimize=optimize)
    most = 2 * levels_of(circuit).most if channels is None else channels
    for found in _widest(circuit, rows, most):
        return found
    return compile_program(_told(circuit, batches(circuit, most, rows)))


def _widest(circuit: Circuit, rows: int, most: int) -> list[Compiled]:
    """The best stack that forms all products of a level at once, if one is no wider than that."""
    levelled = compile_program(_told(circuit, by_levels(circuit, rows)))
    deep = len(levelled.stack.layers) > circuit.multiplicative_depth
    found = [levelled]
    if deep and circuit.products.sum() <= MOST_TRIED:
        found.append(compile_program(_told(circuit, arrays(circuit, rows))))
    return sorted((one for one in found if one.stack.width <= most), key=_cost)


def circuit_bounds(
    circuit: Circuit, layout: str = "wide", d: int = 1, mode: Mode = "causal"
) -> dict[str, Bound]:
    """What a circuit's stack is held to: layers, rows and channels of a layout."""
    if layout == "narrow":
        return {"bound, narrow": narrow_bound(circuit, d, mode)}
    layers, width = 2 * circuit.multiplicative_depth + 1, 2 * levels_of(circuit).most
    return {"bound, wide": Bound(layers, None, width, "2D + 1 layers, 2·w× channels")}


def wide_size(circuit: Circuit) -> tuple[int, int]:
    """Layers and channels of the wide layout by levels, placed but not emitted.

    A circuit of complex constants is counted as that of real and imaginary parts.
    """
    real = real_pairs(circuit) if circuit.is_complex else circuit
    program = by_levels(real)
    layers = max(cell.layer or 0 for cell in program if isinstance(cell, Cell))
    return layers, most_wires(program)


def _cost(compiled: Compiled) -> tuple[int, int]:
    return len(compiled.stack.layers), compiled.stack.width


def _told(circuit: Circuit, program: Program) -> Program:
    return replace(program, degree=max(1, circuit.degree))
