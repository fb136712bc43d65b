"""From the name of a circuit to its stack, and to what that is compared with."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from bestiary.circuits import Circuit, balanced, parallelised
from bestiary.circuits.library import LIBRARY
from bestiary.compile.circuit_form import CircuitForm
from bestiary.compile.conversion import LAYOUTS as MIXER_LAYOUTS
from bestiary.compile.from_circuit import LAYOUTS, CompiledCircuit, compile_circuit
from bestiary.compile.from_circuit.reference import circuit_function, circuit_probes
from bestiary.compile.optimize import Optimize
from bestiary.compile.origin import Origin, check_unchanged, digest
from bestiary.compile.program import MODES, Mode
from bestiary.compile.report import measure
from bestiary.compile.verify import Function, agree
from bestiary.errors import UserError, unknown_name
from bestiary.runs.circuit_source import NamedCircuit, named_circuit
from bestiary.runs.compile_options import check_layout_options
from bestiary.runs.work import Work

MOST_CHECKED = 20_000
"""Gates up to which a stack is checked at once; larger ones when `verify` is asked."""


@dataclass(frozen=True)
class CircuitHow:
    """How a circuit is compiled: see ``compile_circuit``.

    optimize: seconds to search for the best schedule, or None. bits: all inputs are 0 or 1, so that
    it is checked on those alone; known of library circuits of bits and of Bristol's files.
    """

    layout: str = "wide"
    rows: int = 1
    channels: int | None = None
    d: int = 1
    mode: Mode = "causal"
    radix: int = 2
    balance: bool = False
    parallel: bool = False
    expand: float | None = None
    optimize: float | None = None
    bits: bool = False


def of_circuit(named: NamedCircuit, how: CircuitHow, given: Collection[str] = ()) -> Work:
    """A circuit that a person named; of complex constants that of real and imaginary parts.

    given: the options that a person gave; ``UserError`` for one that would change nothing.
    """
    _check(how, given)
    circuit = named.real
    placed = _rearranged(circuit, how)
    compiled = _compiled(placed, how)
    # Of auto, in the layout that it took.
    form = CircuitForm(
        compiled.layout,
        circuit.inputs,
        circuit.outputs,
        pairs=named.circuit.is_complex,
        bits=how.bits or named.bits,
    )
    origin = Origin(
        "circuit",
        named.source,
        max(1, named.n),
        compiled.source.width,
        digest="" if named.path is None else digest(named.path),
        circuit=form,
    )
    error = None
    if len(circuit) <= MOST_CHECKED:
        rows, width = compiled.source.rows, compiled.source.width
        inputs = circuit_probes(circuit, form, rows, width)
        meant = circuit_function(circuit, form)
        error = agree(compiled.stack, meant, rows, width, inputs=inputs)
    bounds = {} if compiled.bound is None else {f"bound, {compiled.layout}": compiled.bound}
    told = _told(circuit, compiled, how)
    return Work(compiled, origin, measure(compiled, bounds), error, "", told)


def circuit_comparison(
    origin: Origin, given: str | None, rows: int, width: int
) -> tuple[Function, dict[str, Tensor]]:
    """What a stack of (rows, width) that was compiled from a circuit should give, and for what.

    given: a file, or ``module:function``, in place of one that moved. The circuit is made or read
    anew; ``UserError`` where it is no longer the one that was compiled.
    """
    form = origin.circuit
    assert form is not None
    path = Path(given or origin.name)
    if origin.digest:
        check_unchanged(origin, path, given=given is not None)
        found = named_circuit(str(path))
    elif origin.name in LIBRARY:
        if given is not None:
            raise UserError(
                f"--reference is {given}, but {origin.name} is a circuit of the library and "
                "compared with itself made anew; it is for what was compiled from a file or a run"
            )
        found = named_circuit(origin.name, origin.n)
    else:
        found = named_circuit(given or origin.name)
    circuit = found.real
    if (circuit.inputs, circuit.outputs) != (form.inputs, form.outputs):
        raise UserError(
            f"{found.source} is not what this stack was compiled from: its inputs or outputs have "
            "changed since"
        )
    return circuit_function(circuit, form), circuit_probes(circuit, form, rows, width)


def _check(how: CircuitHow, given: Collection[str]) -> None:
    """``UserError`` for a setting that there is not, or that would change nothing."""
    if how.layout not in LAYOUTS:
        if how.layout in MIXER_LAYOUTS:
            raise UserError(
                f"--layout is {how.layout}, which is a layout of mixers; a circuit is "
                f"{' or '.join(LAYOUTS)}"
            )
        raise unknown_name("layout of a circuit", how.layout, LAYOUTS)
    check_layout_options(given, how.layout)
    if how.mode not in MODES:
        raise unknown_name("mode", how.mode, MODES)
    if how.d & (how.d - 1):
        raise UserError(f"--d is {how.d}; a power of two is needed")
    if how.optimize is not None:
        for option in ("--channels", "--expand"):
            if option in given:
                raise UserError(
                    f"{option} means nothing with --optimize, which finds a schedule of its own"
                )


def _rearranged(circuit: Circuit, how: CircuitHow) -> Circuit:
    """The circuit balanced or made parallel; ``UserError`` where that changes nothing."""
    for option, asked, rearranged in (
        ("--balance", how.balance, balanced),
        ("--parallel", how.parallel, parallelised),
    ):
        if asked:
            before, circuit = circuit, rearranged(circuit)
            if circuit is before:
                raise UserError(
                    f"{option} changes nothing: it does not take {circuit.name} below "
                    f"multiplicative depth {circuit.multiplicative_depth}"
                )
    return circuit


def _compiled(circuit: Circuit, how: CircuitHow) -> CompiledCircuit:
    return compile_circuit(
        circuit,
        how.layout,
        rows=how.rows,
        channels=how.channels,
        d=how.d,
        mode=how.mode,
        radix=how.radix,
        expand=how.expand,
        optimize=None if how.optimize is None else Optimize(seconds=how.optimize),
    )


def _told(circuit: Circuit, compiled: CompiledCircuit, how: CircuitHow) -> str:
    """The counts of a circuit, and of what it was rearranged to before it was placed."""
    told, placed = f"circuit: {', '.join(circuit.counts)}", compiled.circuit
    if placed is circuit:
        return told
    asked = {"balanced": how.balance, "parallel": how.parallel}
    name = compiled.rearranged or " and ".join(name for name, given in asked.items() if given)
    # Inputs and outputs, the first and the last of the counts, are the same.
    return f"{told}; {name}: {', '.join(placed.counts[1:-1])}"
