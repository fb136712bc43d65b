"""Which channels of a layer do the same, so that one operation serves all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from bestiary.mixers.evaluation.tables import NONE, Ints, LayerTable
from bestiary.mixers.evaluation.windows import Windows

MOST_TERMS = 8
"""A channel that sums more wires than this is part of a matrix product."""
MOST_WINDOWS = 4
"""Channels that do the same in more different rows than this are computed in all of those rows."""
MATRIX = -2


@dataclass
class Recipe:
    """What one channel computes: wires and weights of the gate side, taps of its filter."""

    sources: list[int] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    taps: list[tuple[int, float]] = field(default_factory=list)
    long: int = NONE


@dataclass(frozen=True)
class Group:
    """Channels whose recipes have one form, computed in rows first to last."""

    channels: Ints
    first: int
    last: int


@dataclass(frozen=True)
class Places:
    """For each channel of a state its block, ``NONE`` where it is 0, and its place in the block."""

    block: Ints
    position: Ints

    @classmethod
    def of(cls, width: int, blocks: Mapping[int, Ints]) -> Places:
        """From the channels of each block, in order, by the block's number."""
        block, position = np.full(width, NONE), np.full(width, NONE)
        for number, channels in blocks.items():
            block[channels], position[channels] = number, np.arange(len(channels))
        return cls(block, position)


def recipes(table: LayerTable, live: Windows, places: Places) -> dict[int, Recipe]:
    """For each channel that has rows to compute; wires that are 0 are left out."""
    found = {int(channel): Recipe() for channel in np.flatnonzero(live.some)}
    wanted = live.some[table.targets] & (places.block[table.sources] != NONE)
    order = np.lexsort((places.position[table.sources], places.block[table.sources]))
    order = order[wanted[order]]
    for source, target, weight in zip(
        table.sources[order].tolist(),
        table.targets[order].tolist(),
        table.weights[order].tolist(),
        strict=True,
    ):
        found[target].sources.append(source)
        found[target].weights.append(weight)
    wanted = live.some[table.at] & (places.block[table.at] != NONE)
    order = np.argsort(table.powers, kind="stable")
    order = order[wanted[order]]
    for power, channel, value in zip(
        table.powers[order].tolist(),
        table.at[order].tolist(),
        table.taps[order].tolist(),
        strict=True,
    ):
        found[channel].taps.append((power, value))
    for number, long in enumerate(table.long):
        for channel in long.channels.tolist():
            if channel in found and places.block[channel] != NONE:
                found[channel].long = number
    return found


def groups(
    table: LayerTable, live: Windows, places: Places, made: dict[int, Recipe], uses: Ints
) -> list[Group]:
    """The channels by form: blocks of their wires, powers, kinds of biases.

    uses: a number for each channel; channels of one group are ordered by it first, so that those
    that the next layer treats alike lie together.
    """
    forms: dict[tuple[object, ...], list[int]] = {}
    for channel, recipe in made.items():
        own = int(places.block[channel]) if recipe.taps or recipe.long != NONE else NONE
        form = (
            _wires(recipe, places),
            own,
            tuple((power, value == 1) for power, value in recipe.taps),
            recipe.long,
            table.gate_bias.kind(channel),
            table.conv_bias.kind(channel),
        )
        forms.setdefault(form, []).append(channel)
    out = []
    for members in forms.values():
        out += _by_rows(np.array(members), live)
    source = np.zeros(table.width, dtype=np.int64)
    for channel, recipe in made.items():
        source[channel] = places.position[recipe.sources[0]] if recipe.sources else 0
    return [Group(_ordered(group.channels, uses, source), group.first, group.last) for group in out]


def _wires(recipe: Recipe, places: Places) -> tuple[int, ...]:
    if len(recipe.sources) > MOST_TERMS:
        return (MATRIX,)
    return tuple(int(places.block[source]) for source in recipe.sources)


def _by_rows(channels: Ints, live: Windows) -> list[Group]:
    rows = np.stack([live.first[channels], live.last[channels]], axis=1)
    kinds, which = np.unique(rows, axis=0, return_inverse=True)
    if len(kinds) > MOST_WINDOWS:
        return [Group(channels, int(rows[:, 0].min()), int(rows[:, 1].max()))]
    return [
        Group(channels[which == kind], int(first), int(last))
        for kind, (first, last) in enumerate(kinds.tolist())
    ]


def _ordered(channels: Ints, uses: Ints, source: Ints) -> Ints:
    return channels[np.lexsort((channels, source[channels], uses[channels]))]
