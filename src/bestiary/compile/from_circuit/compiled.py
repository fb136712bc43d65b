"""A circuit compiled: the choice of a layout, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from bestiary.circuits import Circuit, balanced, parallelised, real_pairs
from bestiary.compile.bounds import Bound
from bestiary.compile.compiling import Compiled, compile_program
from bestiary.compile.from_circuit.arrays import arrays
from bestiary.compile.from_circuit.batches import TooFewChannels, batches
from bestiary.compile.from_circuit.by_levels import by_levels, levels_size
from bestiary.compile.from_circuit.compiled_circuit import CompiledCircuit
from bestiary.compile.from_circuit.expand import expanded
from bestiary.compile.from_circuit.levels import levels_of
from bestiary.compile.from_circuit.narrow import narrow, narrow_bound
from bestiary.compile.optimize import Optimize
from bestiary.compile.program import Mode, Program
from bestiary.compile.report import parameters_of
from bestiary.errors import UserError, unknown_name

LAYOUTS = ("wide", "narrow", "auto")
MOST_TRIED = 2000
"""Products of circuits that are placed in more than one way, for the fewest layers."""
MOST_PARALLEL = 5000
"""Gates of a parallel form that ``auto`` tries."""
MOST_SEARCHED = 500
"""Products of circuits for which the channels that are enough are looked for."""
RADICES = (2, 4, 8)
"""Of the narrow layout's routing; it takes at most 2·radix·d channels."""
EXPAND = 4.0
"""How many times as many channels ``auto`` lets an expansion take."""


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
    parallel: bool = False,
    expand: float | None = None,
    optimize: Optimize | None = None,
) -> CompiledCircuit:
    """The stack of a circuit of real numbers, with the layout and the form that were chosen.

    layout:

    - ``wide``: values in channels of one row, inputs (batch, rows, inputs), the circuit for every
      row by itself; at most 2D + 1 layers and 2·w× channels for multiplicative depth D.
    - ``narrow``: values row by row, ``d`` in a row, inputs padded to (batch, ⌈inputs/d⌉, d); a few
      layers times log2 of the width for every depth, N' = O(w/d), at most 4d channels at radix 2.
    - ``auto``: of the wide ones of the circuit as it is, balanced, made parallel, and each of them
      expanded, that of the fewest layers, then of the fewest weights that are not 0. Where none has
      as few as ``channels``, the cheapest narrow one of the largest d ≤ channels/(2·radix).

    channels: at most; a wide layout of fewer takes more layers (``batches``), and ``UserError``
    says how many are enough where they are too few. balance: re-associate chains first
    (``balanced``). parallel: re-arrange by degree first (``parallelised``). expand: how many times
    as many channels a wide layout may take to form products of sums term by term, where that saves
    layers (1: none; ``auto`` takes 4 unless told). radix, mode: of the narrow layout's routing.
    optimize: search for the best schedule of a small wide circuit. ``UserError`` for complex
    constants, and for settings of another layout.
    """
    if layout not in LAYOUTS:
        raise unknown_name("layout", layout, LAYOUTS)
    if expand is not None and not 1 <= expand < inf:
        raise UserError(f"expand is {expand}; a factor of channels from 1 on is needed, such as 4")
    circuit = _rearranged(circuit, balance, parallel)
    if layout == "narrow":
        if rows != 1 or channels is not None or expand is not None or optimize is not None:
            raise UserError(
                "rows, channels, expand and optimize are settings of the wide layout, not of the "
                "narrow one"
            )
        return _narrow(circuit, d, mode, radix)
    if (d, radix) != (1, 2) or (mode != "causal" and layout == "wide"):
        raise UserError(
            f"d, mode and radix are settings of the narrow layout, not of layout {layout!r}"
        )
    if layout == "auto":
        if optimize is not None:
            raise UserError("optimize is a setting of the wide layout, not of layout 'auto'")
        return _chosen(circuit, rows, channels, mode, EXPAND if expand is None else expand)
    if optimize is not None:
        return _searched(circuit, rows, optimize)
    try:
        return wide_ways(circuit, rows, channels, 1 if expand is None else expand)[-1]
    except TooFewChannels as error:
        raise _too_few(circuit, error.channels, rows) from None


def _rearranged(circuit: Circuit, balance: bool, parallel: bool) -> Circuit:
    if balance:
        circuit = balanced(circuit)
    return parallelised(circuit) if parallel else circuit


def _searched(circuit: Circuit, rows: int, optimize: Optimize) -> CompiledCircuit:
    """Wide, by the best schedule that is found."""
    found = compile_program(_told(circuit, arrays(circuit, rows)), optimize=optimize)
    return CompiledCircuit.of(found, circuit, _layers_alone(_wide_bound(circuit)))


def _narrow(circuit: Circuit, d: int, mode: Mode, radix: int) -> CompiledCircuit:
    """Each channel as early as it can be, or, where those are too many at once, in step."""
    program = _told(circuit, narrow(circuit, d, mode, radix))
    found = compile_program(program)
    if radix == 2 and found.stack.width > 4 * d:
        found = compile_program(program, in_step=True)
    bound = narrow_bound(circuit, d, mode) if radix == 2 else None
    return CompiledCircuit.of(found, circuit, bound, "narrow", d)


def wide_ways(
    circuit: Circuit, rows: int = 1, channels: int | None = None, expand: float = 1
) -> list[CompiledCircuit]:
    """All products of a level at once in as few layers as that takes, else in batches.

    As the circuit is, and where it may be expanded the best of both ways after that.
    ``TooFewChannels`` where it does not fit into so many; ``compile_circuit`` says what would.
    """
    bound = _wide_bound(circuit)
    most = 2 * levels_of(circuit).most if channels is None else channels
    found = _widest(circuit, rows, most)
    if not found:
        made = compile_program(_told(circuit, batches(circuit, most, rows)))
        return [CompiledCircuit.of(made, circuit, None)]
    ways = [CompiledCircuit.of(found[0], circuit, bound)]
    if expand > 1 and circuit.products.sum() <= MOST_TRIED:
        allowed = int(expand * found[0].stack.width)
        if channels is not None:
            allowed = min(allowed, channels)
        other = expanded(circuit, allowed)
        if other is not circuit:
            made = min(found + _widest(other, rows, allowed), key=_cost)
            if made is not found[0]:
                ways.append(CompiledCircuit.of(made, circuit, _layers_alone(bound)))
    return ways


def _widest(circuit: Circuit, rows: int, most: int) -> list[Compiled]:
    """Stacks that form all products of a level at once and are no wider than that, best first."""
    levelled = compile_program(_told(circuit, by_levels(circuit, rows)))
    deep = len(levelled.stack.layers) > circuit.multiplicative_depth
    found = [levelled]
    if deep and circuit.products.sum() <= MOST_TRIED:
        found.append(compile_program(_told(circuit, arrays(circuit, rows))))
    return sorted((one for one in found if one.stack.width <= most), key=_cost)


def _chosen(
    circuit: Circuit, rows: int, channels: int | None, mode: Mode, expand: float
) -> CompiledCircuit:
    """The cheapest of the layouts: see ``compile_circuit``."""
    forms = {
        "": circuit,
        "balanced": balanced(circuit),
        "parallel": parallelised(circuit, MOST_PARALLEL),
    }
    found: list[CompiledCircuit] = []
    mistakes: list[UserError] = []
    for name, of in forms.items():
        if name and of is circuit:
            continue
        try:
            found += [
                replace(way, rearranged=name) for way in wide_ways(of, rows, channels, expand)
            ]
        except UserError as error:
            mistakes.append(error)
    if found:
        return min(found, key=cost)
    why = mistakes[0]
    if channels is None or rows != 1:
        raise _too_few(circuit, why.channels, rows) if isinstance(why, TooFewChannels) else why
    routed = [
        _narrow(circuit, 1 << (max(1, channels // (2 * radix)).bit_length() - 1), mode, radix)
        for radix in RADICES
        if radix == 2 or 2 * radix <= channels
    ]
    fitting = [one for one in routed if one.stack.width <= channels]
    if not fitting:
        least = min([*(one.stack.width for one in routed), _enough(circuit, channels)])
        raise UserError(f"channels is {channels}, too few for {circuit.name}: {least} are enough")
    return min(fitting, key=cost)


def _too_few(circuit: Circuit, channels: int, rows: int) -> UserError:
    """The error for a wide layout of too few channels: how many are enough, what takes fewer."""
    enough = _enough(circuit, channels)
    told = f"channels is {channels}, too few for {circuit.name}: the wide layout fits into {enough}"
    # A narrow layout has no rows to repeat a circuit in, and takes up to 4 channels for d = 1.
    if rows == 1 and enough > 4:
        told += ", and layout narrow, or auto, into 4, for many more layers"
    return UserError(told)


def _enough(circuit: Circuit, channels: int) -> int:
    """Channels that a wide layout fits into, more than ``channels``, into which it does not.

    As few as are enough, but for circuits of many products.
    """
    high = levels_size(circuit)[1]
    while circuit.products.sum() <= MOST_SEARCHED and high - channels > 1:
        middle = (channels + high) // 2
        try:
            batches(circuit, middle)
            high = middle
        except TooFewChannels:
            channels = middle
    return high


def cost(compiled: Compiled) -> tuple[int, int]:
    """What ``auto`` compares: layers, then weights that are not 0."""
    stack = compiled.stack
    assert stack.inner_length is not None
    return len(stack.layers), parameters_of(stack, stack.inner_length).nonzero


def circuit_bounds(
    circuit: Circuit, layout: str = "wide", d: int = 1, mode: Mode = "causal"
) -> dict[str, Bound]:
    """What a circuit's stack is held to: layers, rows and channels of a layout."""
    if layout == "narrow":
        return {"bound, narrow": narrow_bound(circuit, d, mode)}
    return {"bound, wide": _wide_bound(circuit)}


def _wide_bound(circuit: Circuit) -> Bound:
    layers, width = 2 * circuit.multiplicative_depth + 1, 2 * levels_of(circuit).most
    return Bound(layers, None, width, "2D + 1 layers, 2·w× channels")


def _layers_alone(bound: Bound) -> Bound:
    """A wide layout's bound where channels were given up for layers."""
    return replace(bound, width=None, source="2D + 1 layers")


def wide_size(circuit: Circuit) -> tuple[int, int]:
    """Layers and channels of the wide layout by levels, placed but not emitted.

    A circuit of complex constants is counted as that of real and imaginary parts.
    """
    real = real_pairs(circuit) if circuit.is_complex else circuit
    return levels_size(real)


def _cost(compiled: Compiled) -> tuple[int, int]:
    return len(compiled.stack.layers), compiled.stack.width


def _told(circuit: Circuit, program: Program) -> Program:
    return replace(program, degree=max(1, circuit.degree))
