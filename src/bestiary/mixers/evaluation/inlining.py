"""Sums that one other sum alone adds up again, added up there at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from torch import Tensor

from bestiary.mixers.evaluation.steps import LongConv, Step
from bestiary.mixers.evaluation.sums import Factor, Pick, Sum, Term

MOST_TERMS = 8


def inlined(
    steps: Mapping[int, Step], earlier: Mapping[int, Step]
) -> tuple[dict[int, Step], set[int]]:
    """The steps with what they read of ``earlier`` ones put in place, and which those were.

    Only a sum that nothing else reads is put in place: made once, as before, but in no array of its
    own.
    """
    uses: dict[int, int] = {}
    for step in steps.values():
        for block in reads(step):
            uses[block] = uses.get(block, 0) + 1
    sums = {
        block: step.pure
        for block, step in earlier.items()
        if uses.get(block) == 1 and step.pure is not None and not step.pure.is_view
    }
    gone: set[int] = set()
    out = {}
    for number, step in steps.items():
        sides = [step.gate, step.conv]
        for i, side in enumerate(sides):
            if isinstance(side.moving, Sum):
                moving, used = _flattened(side.moving, sums)
                sides[i] = replace(side, moving=moving)
                gone |= used
        out[number] = replace(step, gate=sides[0], conv=sides[1])
    return out, gone


def reads(step: Step) -> list[int]:
    """The blocks that a step reads, as often as it does."""
    blocks = []
    for side in (step.gate, step.conv):
        if isinstance(side.moving, Sum):
            blocks += [term.block for term in side.moving.terms]
        elif isinstance(side.moving, LongConv):
            blocks.append(side.moving.block)
    return blocks


def _flattened(outer: Sum, sums: Mapping[int, Sum | None]) -> tuple[Sum, set[int]]:
    terms: list[Term] = []
    used = set()
    for term in outer.terms:
        inner = sums.get(term.block)
        inside = None if inner is None else _composed(term, inner)
        if inside is None or len(inside) + len(outer.terms) > MOST_TERMS:
            terms.append(term)
        else:
            terms += inside
            used.add(term.block)
    return Sum(outer.channels, outer.first, outer.last, terms) if used else outer, used


def _composed(outer: Term, inner: Sum) -> list[Term] | None:
    """The terms of a sum as the outer term takes them; None where that cannot be said."""
    if outer.matrix is not None or any(term.matrix is not None for term in inner.terms):
        return None
    out = []
    for term in inner.terms:
        moved = term.rows.moved(outer.shift)
        rows = moved.within(outer.rows)
        if rows is None:
            apart = moved.last <= outer.rows.first or outer.rows.last <= moved.first
            if apart:
                continue
            return None
        factor = _times(outer.factor, _picked(term.factor, outer.pick))
        pick = _pick_of(term.pick, outer.pick)
        out.append(
            replace(term, rows=rows, shift=term.shift + outer.shift, factor=factor, pick=pick)
        )
    return out


def _picked(factor: Factor, pick: Pick) -> Factor:
    return factor[pick] if isinstance(factor, Tensor) else factor


def _times(one: Factor, other: Factor) -> Factor:
    if one is None or other is None:
        return other if one is None else one
    return one * other


def _pick_of(inner: Pick, outer: Pick) -> Pick:
    """Channels of channels."""
    if isinstance(inner, Tensor):
        return inner[outer]
    if inner.stop - inner.start == 1:
        return inner
    if isinstance(outer, Tensor):
        return outer + inner.start
    return slice(inner.start + outer.start, inner.start + outer.stop)
