"""One group of channels of one layer as operations on whole arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from bestiary.mixers.base_conv_layer import ConvMode
from bestiary.mixers.evaluation.combs import Comb
from bestiary.mixers.evaluation.constants import (
    Constant,
    array_of,
    comb_of,
    constant,
    is_one_in,
)
from bestiary.mixers.evaluation.grouping import MOST_TERMS, Group, Places, Recipe
from bestiary.mixers.evaluation.sums import Block, Factor, Pick, State, Sum, Term
from bestiary.mixers.evaluation.tables import NONE, Ints, LayerTable
from bestiary.operators import conv


@dataclass(frozen=True)
class LongConv:
    """taps * (channels ``pick`` of a block), in rows first to last. taps: (taps, channels)."""

    block: int
    pick: Pick
    taps: Tensor
    first: int
    last: int
    rows: int
    mode: ConvMode

    def __call__(self, state: State, like: Tensor) -> Tensor:
        """(channels, batch, rows), of its own."""
        block = state[self.block]
        # A causal filter does not mind where rows are counted from; a ring has to be whole.
        ring = self.mode == "circular"
        origin = 0 if ring else min(block.first, self.first)
        stop = self.rows if ring else self.last
        rows = block.values[..., : max(0, stop - block.first)]
        picked = (
            rows[self.pick] if isinstance(self.pick, slice) else (rows.index_select(0, self.pick))
        )
        u = picked.permute(1, 2, 0)
        above = min(block.first, stop) - origin
        u = functional.pad(u, (0, 0, above, stop - origin - above - u.shape[1]))
        y = conv(u, self.taps[: u.shape[1]], self.mode)[:, self.first - origin : self.last - origin]
        return y.permute(2, 0, 1).contiguous()


@dataclass(frozen=True)
class Side:
    """One side of a layer in a group: a sum or a long convolution, plus a constant.

    tiles: the sum has the channels of the group once instead of so many times.
    """

    moving: Sum | LongConv | None
    plus: Constant
    tiles: int = 1

    @property
    def fixed(self) -> bool:
        """Whether it does not depend on the input."""
        return self.moving is None

    def is_number(self, number: float) -> bool:
        """Whether it is this number everywhere."""
        return self.moving is None and isinstance(self.plus, float) and self.plus == number

    def __call__(self, state: State, like: Tensor) -> tuple[Tensor | float, bool]:
        """The side, (channels, batch, rows) or what broadcasts to it, and whether it is its own.

        like: (batch, …), of the dtype and on the device of the whole.
        """
        if self.moving is None:
            return array_of(self.plus), False
        value = self.moving(state, like)
        own = isinstance(self.moving, LongConv) or not self.moving.is_view
        if isinstance(self.plus, float) and self.plus == 0:
            return value, own
        plus = array_of(self.plus)
        return (value.add_(plus), True) if own else (value + plus, True)


@dataclass(frozen=True)
class Step:
    """gate ⊙ conv for a group of channels."""

    channels: Ints
    first: int
    last: int
    gate: Side
    conv: Side

    def __call__(self, state: State, like: Tensor) -> Block:
        """The channels of the group, in its order, (channels, batch, rows)."""
        count, batch, rows = len(self.channels), like.shape[0], self.last - self.first
        gate, own_gate = self.gate(state, like)
        side, own_side = self.conv(state, like)
        tiles = self.gate.tiles
        if tiles > 1 and isinstance(gate, Tensor):
            if isinstance(side, Tensor) and side.shape[0] == count:
                side = side.view(tiles, -1, *side.shape[1:])
            made = (gate[None] * side).expand(tiles, -1, -1, -1)
            return Block(made.reshape(count, batch, rows), self.first)
        product = _product(gate, own_gate, side, own_side)
        if not isinstance(product, Tensor):
            product = like.new_full((1, 1, 1), product)
        return Block(product.expand(count, batch, rows), self.first)

    @property
    def pure(self) -> Sum | None:
        """The sum that this step is and no more, or None."""
        for side, other in ((self.conv, self.gate), (self.gate, self.conv)):
            plain = isinstance(side.plus, float) and side.plus == 0 and side.tiles == 1
            if isinstance(side.moving, Sum) and plain and other.is_number(1):
                return side.moving
        return None


def _product(a: Tensor | float, own_a: bool, b: Tensor | float, own_b: bool) -> Tensor | float:
    if not isinstance(a, Tensor) and a == 1:
        return b
    if not isinstance(b, Tensor) and b == 1:
        return a
    if own_b and isinstance(b, Tensor):
        return b.mul_(a)
    if own_a and isinstance(a, Tensor):
        return a.mul_(b)
    return a * b


class StepMaker:
    """Makes the steps of one layer."""

    def __init__(
        self,
        table: LayerTable,
        places: Places,
        spans: Mapping[int, tuple[int, int]],
        made: dict[int, Recipe],
        like: Tensor,
    ) -> None:
        self.table, self.places, self.spans = table, places, spans
        self.recipes, self.like = made, like

    def step(self, group: Group) -> Step:
        """Of one group, whose channels may come to lie in another order."""
        channels = group.channels
        one = self.recipes[int(channels[0])]
        moves = bool(one.taps) or one.long != NONE
        tiles = 1
        if not moves and 0 < len(one.sources) <= MOST_TERMS:
            channels, tiles = self._tiled(channels)
        elif moves:
            order = np.argsort(self.places.position[channels], kind="stable")
            channels = channels[order]
        group = Group(channels, group.first, group.last)
        plus = [
            constant(bias, channels, group.first, group.last, self.like)
            for bias in (self.table.gate_bias, self.table.conv_bias)
        ]
        if not one.sources and moves:
            return self._masked(group, plus)
        gate = Side(self._gate(group, tiles), plus[0], tiles)
        return Step(channels, group.first, group.last, gate, Side(self._conv(group), plus[1]))

    def _masked(self, group: Group, plus: list[Constant]) -> Step:
        """A filter under a row scale: rows that are multiplied by 0 are not summed."""
        gate, rows = plus[0], comb_of(plus[0], group.first)
        plain = isinstance(plus[1], float) and plus[1] == 0
        if rows is not None and not plain:
            rows = None
        moving = self._conv(group)
        if rows is not None and isinstance(moving, Sum):
            clipped = [term.rows.within(rows) for term in moving.terms]
            if None not in clipped:
                terms = [
                    replace(term, rows=own)
                    for term, own in zip(moving.terms, clipped, strict=True)
                    if own is not None
                ]
                moving = Sum(moving.channels, moving.first, moving.last, terms)
                gate = 1.0 if is_one_in(gate, rows, group.first) else gate
        return Step(
            group.channels, group.first, group.last, Side(None, gate), Side(moving, plus[1])
        )

    def _tiled(self, channels: Ints) -> tuple[Ints, int]:
        """Channels that sum the same, put so that the sum can be made once for all tiles."""
        if (self.table.gate_bias.last[channels] > 0).any():
            return channels, 1
        sums: dict[tuple[Any, ...], list[int]] = {}
        for channel in channels.tolist():
            recipe = self.recipes[channel]
            sums.setdefault((*recipe.sources, *recipe.weights), []).append(channel)
        counts = {len(members) for members in sums.values()}
        tiles = counts.pop()
        if counts or tiles == 1:
            return channels, 1
        keys = sorted(sums, key=lambda key: int(self.places.position[key[0]]))
        return np.array([sums[key][i] for i in range(tiles) for key in keys]), tiles

    def _gate(self, group: Group, tiles: int) -> Sum | None:
        channels = group.channels[: len(group.channels) // tiles]
        made = [self.recipes[channel] for channel in channels.tolist()]
        if not made[0].sources:
            return None
        if len(made[0].sources) > MOST_TERMS:
            terms = self._matrices(group, made)
        else:
            terms = []
            for turn in range(len(made[0].sources)):
                wires = np.array([recipe.sources[turn] for recipe in made])
                weights = np.array([recipe.weights[turn] for recipe in made])
                terms += self._moved(group, wires, 0, weights)
        return Sum(len(channels), group.first, group.last, terms)

    def _conv(self, group: Group) -> Sum | LongConv | None:
        channels = group.channels
        made = [self.recipes[channel] for channel in channels.tolist()]
        if made[0].long != NONE:
            return self._long(group, made[0].long)
        if not made[0].taps:
            return None
        terms = []
        for turn, (power, _) in enumerate(made[0].taps):
            values = np.array([recipe.taps[turn][1] for recipe in made])
            terms += self._moved(group, channels, power, values)
        return Sum(len(channels), group.first, group.last, terms)

    def _moved(self, group: Group, wires: Ints, power: int, weights: np.ndarray) -> list[Term]:
        """Wires of one block, moved; in a ring what leaves it below comes back above."""
        block = int(self.places.block[wires[0]])
        pick, factor = self._pick(wires), self._factor(weights)
        first, last = self.spans[block]
        rows = self.table.rows
        shifts = (power, power - rows) if self.table.mode == "circular" and power else (power,)
        terms = []
        for shift in shifts:
            begin, stop = max(group.first, first + shift), min(group.last, last + shift)
            if begin < stop:
                terms.append(Term(block, pick, Comb.between(begin, stop), shift, factor))
        return terms

    def _matrices(self, group: Group, made: list[Recipe]) -> list[Term]:
        """A product with the part of W between each block and the group."""
        entries: dict[int, dict[int, list[tuple[int, float]]]] = {}
        for out, recipe in enumerate(made):
            for source, weight in zip(recipe.sources, recipe.weights, strict=True):
                wires = entries.setdefault(int(self.places.block[source]), {})
                wires.setdefault(source, []).append((out, weight))
        terms = []
        for block, wires in sorted(entries.items()):
            order = sorted(wires, key=lambda wire: self.places.position[wire])
            matrix = np.zeros((len(made), len(order)))
            for column, wire in enumerate(order):
                for out, weight in wires[wire]:
                    matrix[out, column] += weight
            first, last = self.spans[block]
            begin, stop = max(group.first, first), min(group.last, last)
            if begin < stop:
                pick = self._pick(np.array(order), spread=False)
                whole = torch.from_numpy(matrix).to(self.like)
                terms.append(Term(block, pick, Comb.between(begin, stop), matrix=whole))
        return terms

    def _long(self, group: Group, number: int) -> LongConv:
        long = self.table.long[number]
        column = {channel: i for i, channel in enumerate(long.channels.tolist())}
        columns = [column[channel] for channel in group.channels.tolist()]
        return LongConv(
            int(self.places.block[group.channels[0]]),
            self._pick(group.channels, spread=False),
            long.taps[:, columns].to(self.like),
            group.first,
            group.last,
            self.table.rows,
            self.table.mode,
        )

    def _pick(self, wires: Ints, spread: bool = True) -> Pick:
        places = self.places.position[wires]
        if spread and (places == places[0]).all():
            return slice(int(places[0]), int(places[0]) + 1)
        if (np.diff(places) == 1).all():
            return slice(int(places[0]), int(places[-1]) + 1)
        return torch.from_numpy(np.ascontiguousarray(places)).to(self.like.device)

    def _factor(self, weights: np.ndarray) -> Factor:
        if (weights == weights[0]).all():
            return None if weights[0] == 1 else float(weights[0])
        return torch.from_numpy(weights[:, None, None].copy()).to(self.like)
