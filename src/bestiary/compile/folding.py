"""Rules that make one operation of two, or none of one.

Each takes a value whose operands are simplified and gives an equal one, or None where it has
nothing to say. An operation is folded into another only where nothing else uses it: otherwise it
would be computed twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bestiary.compile.arithmetic import combined
from bestiary.compile.constants import alike
from bestiary.compile.expression import (
    Add,
    Concat,
    Constant,
    Conv,
    Linear,
    Mul,
    Pad,
    Read,
    RowScale,
    Shift,
    Value,
)
from bestiary.compile.fusion import filtered_number
from bestiary.compile.rows import Rows
from bestiary.compile.taps import Taps, shift_by, summed_taps

Once = Callable[[Value], bool]
"""Whether a value has a single use."""


def fold(value: Value, once: Once, ring: int | None) -> Value | None:
    """An equal value with less to do, or None."""
    if isinstance(value, Add):
        return _add(value, once)
    if isinstance(value, Mul):
        return _mul(value)
    if isinstance(value, Linear):
        return _linear(value, once)
    if isinstance(value, RowScale):
        return _row_scale(value, once)
    if isinstance(value, Conv | Shift):
        return _conv(value, once, ring)
    if isinstance(value, Concat):
        return value.parts[0] if len(value.parts) == 1 else None
    if isinstance(value, Read):
        return _read(value)
    if isinstance(value, Pad):
        return value.x if value.width == value.x.width else None
    return None


def zero(like: Value) -> Constant:
    """0 in every row and channel."""
    rows = Rows(0, np.zeros((0, like.width), dtype=np.int64), np.zeros(like.width, dtype=np.int64))
    return Constant(width=like.width, name=like.name, labels=like.labels, rows=rows)


def _constant(like: Value, rows: Rows) -> Constant:
    return Constant(width=like.width, name=like.name, labels=like.labels, rows=rows)


def _mul(value: Mul) -> Value | None:
    if isinstance(value.a, Constant) and isinstance(value.b, Constant):
        return _constant(value, value.a.rows * value.b.rows)
    for one, other in ((value.a, value.b), (value.b, value.a)):
        if isinstance(one, Constant):
            return RowScale(width=value.width, name=value.name, x=other, scale=one.rows)
    return None


def _linear(value: Linear, once: Once) -> Value | None:
    x = value.x
    if isinstance(x, Constant):
        rows = mapped(x.rows, value)
        return _constant(value, rows)
    if isinstance(x, Linear) and once(x):
        bias = value.bias if x.bias is None else mapped(x.bias, value)
        weight = combined(np.matmul, x.weight, value.weight)
        return replace(value, x=x.x, weight=weight, bias=bias)
    square = value.weight.shape[0] == value.width
    if square and value.bias is None and np.array_equal(value.weight, np.eye(value.width)):
        return x
    return None


def mapped(rows: Rows, through: Linear) -> Rows:
    """Row constants taken through a linear map and its bias."""
    weight = through.weight
    values, outside = (combined(np.matmul, one, weight) for one in (rows.values, rows.outside))
    out = Rows(rows.start, *alike(values, outside))
    return out if through.bias is None else out + through.bias


def _row_scale(value: RowScale, once: Once) -> Value | None:
    x = value.x
    if value.scale.equals(1):
        return x
    if value.scale.equals(0):
        return zero(value)
    if isinstance(x, Constant):
        return _constant(value, x.rows * value.scale)
    if isinstance(x, RowScale) and once(x):
        return replace(value, x=x.x, scale=x.scale * value.scale)
    return None


def _taps(value: Conv | Shift) -> Taps:
    return value.taps if isinstance(value, Conv) else shift_by(value.by)


def _conv(value: Conv | Shift, once: Once, ring: int | None) -> Value | None:
    x, taps = value.x, _taps(value)
    if taps.identity:
        return x
    if not np.any(taps.values != 0):
        return zero(value)
    if isinstance(x, Constant):
        return _constant(value, filtered_rows(taps, x.rows, ring))
    if isinstance(x, Conv | Shift) and once(x):
        both = _taps(x) * taps
        return Conv(width=value.width, name=value.name, labels=value.labels, x=x.x, taps=both)
    return None


def filtered_rows(taps: Taps, rows: Rows, ring: int | None) -> Rows:
    """taps * rows, channel by channel, over all rows, or those of a ring."""
    channels = len(rows.outside)
    done = [filtered_number(taps.column(i), rows.column(i), ring) for i in range(channels)]
    spans = [(r.start, r.stop) for r in done if isinstance(r, Rows) and len(r.values)]
    lo, hi = min((s for s, _ in spans), default=0), max((e for _, e in spans), default=0)
    columns = [r.at(lo, hi) if isinstance(r, Rows) else np.full(hi - lo, r) for r in done]
    outside = [r.outside.item() if isinstance(r, Rows) else r for r in done]
    return Rows(lo, np.stack(columns, axis=1), np.array(outside))


def _read(value: Read) -> Value | None:
    x = value.x
    if value.picked == tuple(range(x.width)):
        return x
    if isinstance(x, Read):
        return replace(value, x=x.x, picked=tuple(x.picked[i] for i in value.picked))
    if isinstance(x, Constant):
        return _constant(value, x.rows.columns(list(value.picked)))
    if isinstance(x, Concat):
        first = 0
        for part in x.parts:
            if all(first <= i < first + part.width for i in value.picked):
                return replace(value, x=part, picked=tuple(i - first for i in value.picked))
            first += part.width
    return None


def _add(value: Add, once: Once) -> Value | None:
    terms = _flat(value, once)
    terms = _constants_added(value, terms)
    terms = _filters_added(terms, once)
    if not terms:
        return zero(value)
    if len(terms) == 1:
        return terms[0]
    same = set(map(id, terms)) == set(map(id, value.terms)) and len(terms) == len(value.terms)
    return None if same else replace(value, terms=tuple(terms))


def _flat(value: Add, once: Once) -> list[Value]:
    """Its terms, and in place of sums that nothing else uses theirs; without recursion."""
    terms: list[Value] = []
    waiting = list(reversed(value.terms))
    while waiting:
        term = waiting.pop()
        if isinstance(term, Add) and once(term):
            waiting.extend(reversed(term.terms))
        else:
            terms.append(term)
    return terms


def _constants_added(value: Add, terms: list[Value]) -> list[Value]:
    constants = [term for term in terms if isinstance(term, Constant)]
    if not constants:
        return terms
    rows = constants[0].rows
    for other in constants[1:]:
        rows = rows + other.rows
    rest = [term for term in terms if not isinstance(term, Constant)]
    if rows.equals(0):
        return rest
    return [*rest, constants[0] if len(constants) == 1 else _constant(value, rows)]


def _filters_added(terms: list[Value], once: Once) -> list[Value]:
    """Convolutions of one value made one: h * x + k * x = (h + k) * x, and c x is c X^0 * x."""
    groups: dict[int, tuple[Value, list[Value]]] = {}
    for term in terms:
        base = _unfiltered(term, once)
        groups.setdefault(id(base), (base, []))[1].append(term)
    out: list[Value] = []
    for base, members in groups.values():
        if len(members) == 1:
            out.append(members[0])
            continue
        taps = summed_taps([_filter(term, base) for term in members])
        if taps.low == taps.high == 0:
            scale = Rows.same(np.broadcast_to(taps.values[0], (base.width,)))
            if not scale.equals(0):
                out.append(RowScale(width=base.width, x=base, scale=scale))
        else:
            out.append(Conv(width=base.width, x=base, taps=taps))
    return out


def _unfiltered(term: Value, once: Once) -> Value:
    """What a term filters: itself where it is no filter, or one with other uses."""
    if isinstance(term, Conv | Shift) and once(term):
        return term.x
    return term.x if isinstance(term, RowScale) and term.scale.uniform and once(term) else term


def _filter(term: Value, base: Value) -> Taps:
    """A term as a filter of ``base``."""
    if term is base:
        return shift_by(0)
    if isinstance(term, RowScale):
        return Taps(np.zeros(1, dtype=np.int64), term.scale.outside[None])
    assert isinstance(term, Conv | Shift)
    return _taps(term)
