"""Layers against channels of a circuit: what each way to compile it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from bestiary.circuits import Circuit, balanced, parallelised
from bestiary.compile.bounds import Bound
from bestiary.compile.degree import depth_floor
from bestiary.compile.from_circuit.batches import TooFewChannels
from bestiary.compile.from_circuit.compiled import (
    EXPAND,
    MOST_PARALLEL,
    MOST_TRIED,
    RADICES,
    circuit_bounds,
    compile_circuit,
    wide_ways,
)
from bestiary.compile.pareto import unbeaten
from bestiary.compile.report import measure

MOST_ROUTED = 4096
"""Gates of circuits whose narrow layouts are compiled too: their layers go with every depth."""
MOST_CAPPED = 4096
"""Products of circuits that are compiled in fewer channels too."""
EXPANSIONS = (2.0, EXPAND, 16.0)
"""How many times as many channels expansions may take."""


@dataclass(frozen=True)
class Way:
    """One way to compile a circuit, and what came out.

    layers: L. channels: d'. inner_rows: N'. nonzeros: entries of all weights that are not 0.
    bound: what its layout is held to, None with fewer or more channels or a larger radix. best:
    whether no other way has fewer of one of the first three and no more of the others. auto:
    whether it is what ``layout="auto"`` takes.
    """

    name: str
    layers: int
    channels: int
    inner_rows: int
    nonzeros: int
    bound: Bound | None
    best: bool = False
    auto: bool = False

    @property
    def costs(self) -> tuple[int, int, int]:
        """What ways are compared by."""
        return self.layers, self.channels, self.inner_rows


def frontier(circuit: Circuit, watch: Callable[[str], None] | None = None) -> list[Way]:
    """Every way to compile a circuit of real numbers, measured, fewest layers first.

    Wide as it is, expanded in up to 16 times the channels, balanced, parallel, and in fewer
    channels; narrow, in a ring and not, with d in a row from 1 to a quarter of the widest depth,
    and radices of the routing from 2 to 8. Of ways that cost the same one is kept. ``watch`` is
    told each one's name before it is compiled.
    """
    ways: dict[tuple[int, int, int], Way] = {}
    tried: list[Way] = []

    def take(name: str, of: Circuit, settings: Mapping[str, Any]) -> Way:
        if watch is not None:
            watch(name)
        way = _measured(name, of, settings)
        ways.setdefault(way.costs, way)
        if "layout" not in settings and settings.get("expand", 1) in (1, EXPAND):
            tried.append(way)
        return way

    wide = take("wide", circuit, {})
    for choice in _choices(circuit):
        take(*choice)
    for channels in _fewer(circuit, wide.channels):
        try:
            take(f"wide, {channels:,} channels", circuit, {"channels": channels})
        except TooFewChannels:
            break
    cheapest = min(tried, key=lambda way: (way.layers, way.nonzeros)).costs
    found = list(ways.values())
    best = unbeaten([way.costs for way in found])
    marked = (
        replace(way, best=is_best, auto=way.costs == cheapest)
        for way, is_best in zip(found, best, strict=True)
    )
    return sorted(marked, key=lambda way: way.costs)


def floor_of(circuit: Circuit) -> int | None:
    """⌈log2 degree⌉ layers; None where the degree is at most 1."""
    return depth_floor(circuit.degree)


_Choice = tuple[str, Circuit, dict[str, Any]]
"""A name, what is compiled, and the settings of ``compile_circuit``."""


def _choices(circuit: Circuit) -> Iterator[_Choice]:
    """All ways but the wide one of the circuit as it is, and that one in fewer channels."""
    if circuit.products.sum() <= MOST_TRIED:
        for factor in EXPANSIONS:
            yield f"wide, expanded {factor:g} ×", circuit, {"expand": factor}
    rearranged = {
        "balanced": balanced(circuit),
        "parallel": parallelised(circuit, MOST_PARALLEL),
    }
    for name, of in rearranged.items():
        if of is not circuit:
            yield f"wide, {name}", of, {}
            if of.products.sum() <= MOST_TRIED:
                yield f"wide, {name}, expanded {EXPAND:g} ×", of, {"expand": EXPAND}
    if circuit.size > MOST_ROUTED:
        return
    d = 1
    while d == 1 or 4 * d <= circuit.width:
        for mode, radix in product(("circular", "causal"), RADICES):
            name = f"narrow, d {d}, radix {radix}{', ring' if mode == 'circular' else ''}"
            yield name, circuit, {"layout": "narrow", "d": d, "mode": mode, "radix": radix}
        d *= 4


def _fewer(circuit: Circuit, channels: int) -> Iterator[int]:
    """Fewer and fewer channels than so many, down to the inputs; none for very large circuits."""
    while circuit.products.sum() <= MOST_CAPPED:
        channels = channels * 3 // 4
        if channels < circuit.width_in:
            return
        yield channels


def _measured(name: str, circuit: Circuit, settings: Mapping[str, Any]) -> Way:
    if "channels" in settings:
        # Not compile_circuit, which looks for channels that are enough where these are too few.
        made = wide_ways(circuit, **settings)[-1]
    else:
        made = compile_circuit(circuit, **settings)
    report = measure(made)
    radix = settings.get("radix", 2)
    held = {key: settings[key] for key in ("layout", "d", "mode") if key in settings}
    stated = radix == 2 and not settings.keys() & {"channels", "expand"}
    return Way(
        name,
        report.layers,
        report.width,
        report.inner_rows,
        report.parameters.nonzero,
        next(iter(circuit_bounds(circuit, **held).values())) if stated else None,
    )
