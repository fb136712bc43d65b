"""Statements in an order in which each makes its values from values made before."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from bestiary.circuits.files.mistake import mistake
from bestiary.errors import did_you_mean

V = TypeVar("V", bound=Hashable)
MOST_HINTS = 1000
"""Names among which a name that is not known is looked for."""


@dataclass(frozen=True, slots=True)
class Statement(Generic[V]):
    """A line of a file: the values that it makes, and those it makes them from."""

    line: int
    makes: tuple[V, ...]
    needs: tuple[V, ...]


def in_order(
    statements: Sequence[Statement[V]],
    given: Collection[V],
    where: str,
    shown: Callable[[V], str] = str,
) -> list[int]:
    """Places of the statements, those that others need first, otherwise as they stand.

    given: values that are there from the start. ``UserError`` with the line for a value that is
    made twice, that is needed and never made, or that is made from itself.
    """
    makers = _makers(statements, given, where, shown)
    order: list[int] = []
    done: set[int] = set()
    for start in range(len(statements)):
        # The way from the start to where we are; a step back onto it is a cycle.
        way = [start] if start not in done else []
        open_ = dict.fromkeys(way, 0)
        while way:
            here = way[-1]
            needs = statements[here].needs
            if open_[here] == len(needs):
                done.add(way.pop())
                order.append(here)
                del open_[here]
                continue
            value = needs[open_[here]]
            open_[here] += 1
            if value in given:
                continue
            maker = makers.get(value)
            if maker is None:
                known = [*makers, *given] if len(makers) + len(given) < MOST_HINTS else []
                hint = did_you_mean(shown(value), map(shown, known))
                raise mistake(where, statements[here].line, f"{shown(value)} is not defined{hint}")
            if maker in open_:
                raise _cycle(statements, way, maker, value, where, shown)
            if maker not in done:
                open_[maker] = 0
                way.append(maker)
    return order


def _makers(
    statements: Sequence[Statement[V]],
    given: Collection[V],
    where: str,
    shown: Callable[[V], str],
) -> dict[V, int]:
    makers: dict[V, int] = {}
    for place, statement in enumerate(statements):
        for value in statement.makes:
            if value in given:
                raise mistake(
                    where, statement.line, f"{shown(value)} is an input, and is defined again"
                )
            if value in makers:
                first = statements[makers[value]].line
                raise mistake(
                    where,
                    statement.line,
                    f"{shown(value)} is defined twice, first in line {first}",
                )
            makers[value] = place
    return makers


def _cycle(
    statements: Sequence[Statement[V]],
    way: Sequence[int],
    maker: int,
    value: V,
    where: str,
    shown: Callable[[V], str],
) -> Exception:
    """The error for a way that comes back to one of its statements."""
    around = way[way.index(maker) :]
    # Of each statement on the way, the value that the statement before it needs.
    names = [shown(value)]
    for before, after in itertools.pairwise(around):
        needed = set(statements[before].needs)
        names.append(shown(next(v for v in statements[after].makes if v in needed)))
    listed = " from ".join([*(names if len(names) < 8 else [*names[:6], "…"]), shown(value)])
    return mistake(where, statements[maker].line, f"{shown(value)} is made from itself: {listed}")
