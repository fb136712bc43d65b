"""The numbers of a layer as flat tables, without its zeros."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bestiary.mixers.base_conv_layer import BaseConvLayer, ConvMode
from bestiary.mixers.filter_parts import FilterParts
from bestiary.mixers.filters import ExplicitFilter, Filter
from bestiary.mixers.sparse_bias import SparseBias
from bestiary.mixers.sparse_weight import SparseWeight
from bestiary.mixers.tap_filter import TapFilter

Ints = NDArray[np.int64]
Floats = NDArray[Any]
NONE = -1


@dataclass(frozen=True)
class BiasTable:
    """What each channel adds: ``level`` in every row, and the pattern of its number, or ``NONE``.

    patterns: (patterns, rows). first, last: for each channel the first row in which the bias is
    other than 0 and the one after the last, (0, 0) where it is 0.
    """

    level: Floats
    pattern: Ints
    patterns: Floats
    first: Ints
    last: Ints

    def kind(self, channel: int) -> str:
        """What a channel adds: nothing, 1, the same in every row, or rows of their own."""
        if self.pattern[channel] != NONE:
            return "rows"
        level = self.level[channel]
        return "nothing" if level == 0 else "one" if level == 1 else "same"


@dataclass(frozen=True)
class LongFilter:
    """Filters of many taps: (taps, channels) at these channels."""

    channels: Ints
    taps: Tensor


@dataclass(frozen=True)
class LayerTable:
    """One layer on ``rows`` rows.

    sources, targets, weights: entries of W. powers, at, taps: taps of the filters that move rows.
    """

    mode: ConvMode
    rows: int
    width: int
    sources: Ints
    targets: Ints
    weights: Floats
    powers: Ints
    at: Ints
    taps: Floats
    long: tuple[LongFilter, ...]
    gate_bias: BiasTable
    conv_bias: BiasTable


def has_structure(layer: BaseConvLayer) -> bool:
    """Whether a layer is made of parts that say where they are 0."""
    h = layer.filter
    parts: list[Filter] = list(h.parts) if isinstance(h, FilterParts) else [h]
    return (
        (layer.weight is None or isinstance(layer.weight, SparseWeight))
        and all(isinstance(part, TapFilter | ExplicitFilter) for part in parts)
        and any(isinstance(part, TapFilter) for part in parts)
        and all(b is None or isinstance(b, SparseBias) for b in (layer.gate_bias, layer.conv_bias))
    )


def table_of(layer: BaseConvLayer, rows: int) -> LayerTable:
    """The tables of a layer that has structure."""
    width = layer.width
    if layer.weight is None:
        sources = targets = np.arange(width)
        weights = np.ones(width)
    else:
        assert isinstance(layer.weight, SparseWeight)
        weights = _numbers(layer.weight.values)
        kept = weights != 0
        sources, targets = (_numbers(i)[kept] for i in (layer.weight.sources, layer.weight.targets))
        weights = weights[kept]
    moves, long = _filters(layer.filter, rows)
    powers, at, taps = moves
    if layer.mode == "circular":
        powers = powers % rows
    kept = (taps != 0) & (powers < rows)
    return LayerTable(
        layer.mode,
        rows,
        width,
        sources,
        targets,
        weights,
        powers[kept],
        at[kept],
        taps[kept],
        long,
        _bias(layer.gate_bias, width, rows),
        _bias(layer.conv_bias, width, rows),
    )


def _filters(h: Filter, rows: int) -> tuple[tuple[Ints, Ints, Floats], tuple[LongFilter, ...]]:
    parts, places = [h], [np.arange(h.channels)]
    if isinstance(h, FilterParts):
        parts = list(h.parts)
        places = [_numbers(h.places(i)) for i in range(len(parts))]
    moves: list[tuple[Ints, Ints, Floats]] = []
    long = []
    for part, own in zip(parts, places, strict=True):
        if isinstance(part, TapFilter):
            moves.append((_numbers(part.powers), own[_numbers(part.at)], _numbers(part.values)))
        else:
            long.append(LongFilter(own, part(rows).detach()))
    return tuple(np.concatenate(each) for each in zip(*moves, strict=True)), tuple(long)  # type: ignore[return-value]


def _bias(bias: Tensor | SparseBias | None, width: int, rows: int) -> BiasTable:
    level, pattern = np.zeros(width), np.full(width, NONE)
    first, last = np.zeros(width, dtype=np.int64), np.zeros(width, dtype=np.int64)
    patterns = np.zeros((0, rows))
    if isinstance(bias, SparseBias):
        level[_numbers(bias.level_at)] = _numbers(bias.level)
        if bias.patterns:
            patterns = np.ascontiguousarray(_numbers(bias.pattern_rows())[:rows].T)
            used = patterns != 0
            some = used.any(axis=1)
            begin = np.where(some, used.argmax(axis=1), 0)
            end = np.where(some, rows - used[:, ::-1].argmax(axis=1), 0)
            at, which = _numbers(bias.pattern_at), _numbers(bias.pattern)
            pattern[at], first[at], last[at] = which, begin[which], end[which]
        everywhere = level != 0
        first[everywhere], last[everywhere] = 0, rows
    return BiasTable(level, pattern, patterns, first, last)


def _numbers(values: Tensor) -> Any:
    # numpy has no bfloat16, and float32 holds all its numbers.
    wide = values.float() if values.dtype == torch.bfloat16 else values
    return wide.detach().cpu().numpy()
