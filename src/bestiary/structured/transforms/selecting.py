"""Selections with fan-out, y[i] = value[i]·x[source[i]] with any sources, in (BB*)^2."""

from __future__ import annotations

from typing import Any

import torch

from bestiary.errors import UserError
from bestiary.structured.kaleidoscope import Kaleidoscope
from bestiary.structured.transforms.arguments import holding, numbers
from bestiary.structured.transforms.chain import product
from bestiary.structured.transforms.fan_out import fan_out
from bestiary.structured.transforms.routing import permutation


def selection(source: Any, values: Any = None) -> Kaleidoscope:
    """y[i] = values[i]·x[source[i]], and 0 where source[i] is −1, in (BB*)^2.

    One index may be taken any number of times; ``values`` are 1 unless given. A length that is no
    power of two is padded; ``size`` shows it. The transpose adds up: ``selection(s).transpose()``
    has at most one entry a column. Raises ``UserError`` for an index out of range.
    """
    rows = numbers(source, "the sources of a selection")
    indices = rows.real.long() if rows.is_complex() else rows.long()
    n = len(indices)
    wrong = ((indices != rows) | (indices < -1) | (indices >= n)).nonzero()
    if len(wrong):
        place = int(wrong[0])
        raise UserError(
            f"a selection from {n} entries has the source {rows[place].item()} at {place} "
            f"(accepted: −1 for none, 0 to {n - 1})"
        )
    size = holding(n)
    taken = (indices >= 0).nonzero().flatten()
    copies = fan_out(indices[taken], size)
    order = torch.full((size,), -1)
    order[taken] = copies.slots
    rest = torch.ones(size, dtype=torch.bool)
    rest[copies.slots] = False
    order[order < 0] = rest.nonzero().flatten()
    routed = permutation(order)
    whole = product(routed, Kaleidoscope((copies.spread, copies.gather)))
    first, *others = whole.butterflies
    if values is not None:
        weights = numbers(values, "the values of a selection")
        if len(weights) != n:
            raise UserError(f"a selection of {n} entries has {len(weights)} values")
        padded = torch.zeros(size, dtype=weights.dtype)
        padded[:n] = weights
        first = first.scale_rows(padded)
    return Kaleidoscope((first, *others), n)
