"""How a product of butterflies is computed, and why.

The index of a vector, L = log2 n bits, is cut into fields of bits. The factors that move a field's
bits, log2 r of them one after the other, are merged into dense r×r blocks, n/r of them; applying
these is one batched matrix product. Few large blocks cost arithmetic, many small ones memory
traffic, and merging costs as much as a few vectors: ``plan_for`` weighs these.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, get_args

from bestiary.errors import UserError, unknown_name

log = logging.getLogger(__name__)

Order = Literal["falling", "rising"]
ORDERS: tuple[Order, ...] = get_args(Order)
Path = Literal["auto", "blocks", "factors"]
PATHS: tuple[Path, ...] = get_args(Path)


@dataclass(frozen=True, slots=True)
class Piece:
    """The factors of butterfly ``butterfly`` (of the written product) that move field ``field``."""

    butterfly: int
    field: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What ``multiply`` will do.

    path: ``blocks`` (merge factors, then a batched matrix product a stage) or ``factors`` (one
    after the other, element by element). radices: the sizes r of the fields, from the highest
    bits to the lowest; their product is n. stages: in the order in which they are applied, each
    with the pieces merged into it, the one applied first at the front. reason: why.
    """

    path: Literal["blocks", "factors"]
    n: int
    orders: tuple[Order, ...]
    radices: tuple[int, ...]
    stages: tuple[tuple[Piece, ...], ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Costs:
    """Nanoseconds of the parts of a product on a kind of device.

    pass_: an element through a stage, whatever its radix. radix: the same for each of the r
    products an element takes part in. merge: an element of a merged block. factor: an element
    through one factor by itself. call: one call of torch. most: the largest radix.
    """

    pass_: float
    radix: float
    merge: float
    factor: float
    call: float
    most: int


# On one core, by `python -m benchmarks.butterfly --costs`, with pass_ and merge corrected for what
# `--radices` shows of whole steps. A GPU's row is a rule, not a measurement: work is cheap there
# and launches are dear.
COSTS = {
    "cpu": Costs(pass_=1.8, radix=0.055, merge=4.0, factor=4.4, call=3_200, most=64),
    "cuda": Costs(pass_=0.003, radix=0.0001, merge=0.01, factor=0.01, call=10_000, most=64),
}

# Calls of torch that a stage, a level of merging and a factor by itself come to.
_STAGE_CALLS, _LEVEL_CALLS, _FACTOR_CALLS = 15, 12, 8


def plan_for(
    n: int,
    batch: int,
    orders: Sequence[str] = ("falling",),
    *,
    stack: int = 1,
    path: str = "auto",
    radices: Sequence[int] | None = None,
    device: str = "cpu",
) -> Plan:
    """The plan that ``multiply`` follows for ``batch`` vectors of ``n`` and these butterflies.

    ``orders`` has ``falling`` (a member of B) or ``rising`` (of B*) for each butterfly of the
    written product. ``stack`` counts independent members. ``path`` and ``radices`` overrule the
    choice. Devices other than those in ``COSTS`` are planned as ``cuda``. Raises ``UserError`` for
    an n that is no power of two from 2 up, and for radices that do not multiply to n.
    """
    given: tuple[Any, ...] = tuple(orders)
    for order in given:
        if order not in ORDERS:
            raise unknown_name("order of factors", order, ORDERS)
    if path not in PATHS:
        raise unknown_name("butterfly path", path, PATHS)
    wanted: Any = path
    fixed = None if radices is None else tuple(radices)
    return _plan(n, batch, given, stack, wanted, fixed, device)


@lru_cache(maxsize=4096)
def _plan(
    n: int,
    batch: int,
    orders: tuple[Order, ...],
    stack: int,
    path: Path,
    radices: tuple[int, ...] | None,
    device: str,
) -> Plan:
    if n < 2 or n & (n - 1):
        raise UserError(f"n is {n}; butterflies exist for powers of two from 2 up")
    levels = n.bit_length() - 1
    costs = COSTS.get(device, COSTS["cuda"])
    if radices is not None:
        _check_radices(n, radices)
        chosen, reason = radices, "asked for"
    else:
        candidates = {
            cut: _blocks_cost(n, batch, len(orders), stack, cut, costs)
            for cut in _balanced_cuts(levels, costs.most)
        }
        chosen = min(candidates, key=candidates.__getitem__)
        merged = candidates[chosen]
        single = _factors_cost(n, batch, len(orders), stack, costs)
        times = f"about {merged / 1e6:.2g} ms a pass in blocks, {single / 1e6:.2g} ms by factors"
        if path == "factors" or (path == "auto" and single < merged):
            plan = Plan("factors", n, orders, (2,) * levels, (), times)
            log.debug("batch %d, stack %d on %s: %s", batch, stack, device, plan)
            return plan
        reason = times if path == "auto" else "asked for"
    stages = _stages(orders, chosen, batch)
    plan = Plan("blocks", n, orders, chosen, stages, reason)
    log.debug("batch %d, stack %d on %s: %s", batch, stack, device, plan)
    return plan


def _check_radices(n: int, radices: tuple[int, ...]) -> None:
    product = 1
    for radix in radices:
        if radix < 2 or radix & (radix - 1):
            raise UserError(f"radix {radix} is no power of two from 2 up")
        product *= radix
    if product != n:
        raise UserError(f"radices {radices} multiply to {product}, not to n = {n}")


def _balanced_cuts(levels: int, most: int) -> list[tuple[int, ...]]:
    """Radices of as equal fields as can be, for every number of fields that keeps to ``most``."""
    cuts = []
    for fields in range(1, levels + 1):
        small, larger = divmod(levels, fields)
        bits = [small + 1] * larger + [small] * (fields - larger)
        if 1 << bits[0] <= most:
            # Larger fields come last, at the lowest bits: there a stage reads rows as they lie.
            cuts.append(tuple(1 << b for b in reversed(bits)))
    return cuts


def _blocks_cost(
    n: int, batch: int, butterflies: int, stack: int, radices: tuple[int, ...], costs: Costs
) -> float:
    total = 0.0
    for radix in radices:
        levels = radix.bit_length() - 1
        total += n * batch * stack * (costs.pass_ + costs.radix * radix)
        total += n * stack * radix * costs.merge
        total += costs.call * (_STAGE_CALLS + _LEVEL_CALLS * levels)
    return total * butterflies


def _factors_cost(n: int, batch: int, butterflies: int, stack: int, costs: Costs) -> float:
    levels = n.bit_length() - 1
    one = costs.factor * n * batch * stack + costs.call * _FACTOR_CALLS
    return butterflies * levels * one


def _stages(
    orders: tuple[Order, ...], radices: tuple[int, ...], batch: int
) -> tuple[tuple[Piece, ...], ...]:
    """Pieces in the order of application; neighbours on one field share a stage where that pays.

    Two sets of blocks are multiplied into one at the cost of a stage with r vectors.
    """
    stages: list[tuple[Piece, ...]] = []
    for butterfly in reversed(range(len(orders))):
        fields = range(len(radices))
        # A member of B is applied from the factor of size 2 up: the lowest bits, the last field.
        in_turn = reversed(fields) if orders[butterfly] == "falling" else fields
        for field in in_turn:
            piece = Piece(butterfly, field)
            if stages and stages[-1][-1].field == field and batch >= radices[field]:
                stages[-1] = (*stages[-1], piece)
            else:
                stages.append((piece,))
    return tuple(stages)
