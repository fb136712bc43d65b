"""The flat list of matrix products that a plan comes to, each with the layout it reads.

Vectors in work are (axes…, batch) without gaps, the axes being the fields of the index and, if
there is one, the stack, in some order. A stage needs its field first or last, for then the other
axes are one axis to the matrix product; its output has the field last. Where the field is in
between, whole rows of the batch are copied first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from bestiary.operators.butterfly.merge import STACK
from bestiary.operators.butterfly.plan import Piece, Plan


@dataclass(frozen=True, slots=True)
class Step:
    """One batched matrix product.

    pieces: what is merged into its blocks, the one applied first at the front. axes: the other
    axes, in the order in which blocks are numbered. radix: the size of the blocks. first: whether
    the field is read as the first axis, not the last. copied: the order of axes to copy to before
    (empty: none), as places in the order there was.
    """

    pieces: tuple[Piece, ...]
    axes: tuple[int, ...]
    radix: int
    first: bool
    copied: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Steps:
    """All steps of a plan, and the copy that puts axes in their natural order at the end.

    restored: places of the natural order in the order at the end; empty if that is natural.
    order_at_end: the axes in the order that the last step leaves.
    """

    steps: tuple[Step, ...]
    restored: tuple[int, ...]
    order_at_end: tuple[int, ...]


@lru_cache(maxsize=4096)
def steps_of(plan: Plan, stacked: bool) -> Steps:
    """Follow the layout through the stages of ``plan``."""
    natural = (*((STACK,) if stacked else ()), *range(len(plan.radices)))
    order = natural
    steps = []
    for pieces in plan.stages:
        field = pieces[0].field
        rest = tuple(axis for axis in order if axis != field)
        copied: tuple[int, ...] = ()
        if field not in (order[0], order[-1]):
            copied = tuple(order.index(axis) for axis in (field, *rest))
        first = order[-1] != field
        steps.append(Step(pieces, rest, plan.radices[field], first, copied))
        order = (*rest, field)
    restored = () if order == natural else tuple(order.index(axis) for axis in natural)
    return Steps(tuple(steps), restored, order)
