"""Sums of moved, scaled pieces of earlier arrays, without adding what is known to be 0."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from bestiary.mixers.evaluation.combs import Comb, are_apart

Factor = float | Tensor | None
"""A number, numbers by channel (channels, 1, 1), or None for 1."""

Pick = slice | Tensor
"""Channels of a block, in an order; a slice of one serves any number of channels."""


@dataclass(frozen=True)
class Block:
    """Some channels after a layer, (channels, batch, rows), from row ``first`` on."""

    values: Tensor
    first: int


State = Mapping[int, Block]
"""Blocks by number."""


@dataclass(frozen=True, eq=False)
class Term:
    """factor · (channels ``pick`` of a block, ``shift`` rows further down), in some rows.

    matrix: (channels out, channels picked), applied to the channels, or None. The block has a row
    for each of the term's.
    """

    block: int
    pick: Pick
    rows: Comb
    shift: int = 0
    factor: Factor = None
    matrix: Tensor | None = None

    def at(self, state: State, rows: Comb) -> Tensor:
        """Without the factor, in some of its rows."""
        block = state[self.block]
        values = block.values[self.pick] if isinstance(self.pick, slice) else block.values
        values = rows.view(values, block.first + self.shift)
        if isinstance(self.pick, Tensor):
            values = values.index_select(0, self.pick)
        if self.matrix is None:
            return values
        flat = values.reshape(len(values), -1)
        return (self.matrix @ flat).view(len(self.matrix), *values.shape[1:])


class Sum:
    """Σ terms in rows first to last, 0 in those of them that no term has."""

    def __init__(self, channels: int, first: int, last: int, terms: Sequence[Term]) -> None:
        self.channels, self.first, self.last, self.terms = channels, first, last, tuple(terms)
        whole = Comb.between(first, last)
        self.parts, self.added = _parts(whole, self.terms)
        self.covered = not self.added and sum(c.count * c.length for c, _ in self.parts) == (
            whole.length
        )
        alone = self.terms[0] if len(self.terms) == 1 and self.terms[0].rows == whole else None
        self.alone = alone if alone is not None and alone.factor is None else None
        self.is_view = (
            self.alone is not None
            and self.alone.matrix is None
            and isinstance(self.alone.pick, slice)
        )
        """Whether the sum is rows of a block as they are, which must not be written to."""

    def __call__(self, state: State, like: Tensor) -> Tensor:
        """(channels, batch, rows)."""
        if self.alone is not None:
            return self.alone.at(state, self.alone.rows).expand(self.channels, -1, -1)
        make = like.new_empty if self.covered else like.new_zeros
        out = make(self.channels, like.shape[0], self.last - self.first)
        for rows, terms in self.parts:
            values = [term.at(state, rows) for term in terms]
            view = rows.view(out, self.first)
            if self.added:
                _add(view, terms, values)
            else:
                _write(view, terms, values)
        return out


def _write(view: Tensor, terms: Sequence[Term], values: Sequence[Tensor]) -> None:
    """view = Σ factor · value."""
    done = 1
    # What is written with out= must have the shape already; one channel may serve many.
    first, head = values[0].expand_as(view), terms[0].factor
    if head is not None:
        by = _fitted(head, view) if isinstance(head, Tensor) else head
        torch.mul(first, by, out=view)
    elif len(terms) > 1 and not isinstance(terms[1].factor, Tensor):
        torch.add(first, values[1], alpha=_number(terms[1].factor), out=view)
        done = 2
    else:
        view.copy_(first)
    _add(view, terms[done:], values[done:])


def _add(view: Tensor, terms: Sequence[Term], values: Sequence[Tensor]) -> None:
    """view += Σ factor · value."""
    for term, value in zip(terms, values, strict=True):
        if isinstance(term.factor, Tensor):
            view.addcmul_(value, _fitted(term.factor, view))
        else:
            view.add_(value, alpha=_number(term.factor))


def _number(factor: float | None) -> float:
    return 1.0 if factor is None else factor


def _fitted(factor: Tensor, view: Tensor) -> Tensor:
    """Numbers by channel for a view that may have runs as one more axis."""
    return factor[..., None] if view.ndim == 4 else factor


def _parts(whole: Comb, terms: Sequence[Term]) -> tuple[list[tuple[Comb, list[Term]]], bool]:
    """Row sets, each with the terms that have it, and whether a row may lie in several of them."""
    if all(term.rows.count == 1 for term in terms):
        return _intervals(whole, terms), False
    by_rows: dict[Comb, list[Term]] = {}
    for term in terms:
        by_rows.setdefault(term.rows, []).append(term)
    return list(by_rows.items()), not are_apart(list(by_rows))


def _intervals(whole: Comb, terms: Sequence[Term]) -> list[tuple[Comb, list[Term]]]:
    """Row ranges between which the terms that there are do not change, without empty ones."""
    ends = {whole.first, whole.last}
    ends |= {end for term in terms for end in (term.rows.first, term.rows.last)}
    parts = []
    for begin, stop in itertools.pairwise(sorted(ends)):
        here = [t for t in terms if t.rows.first <= begin and stop <= t.rows.last]
        if here:
            parts.append((Comb.between(begin, stop), here))
    return parts
