"""The values of a program and the operations that make them, written as ordinary expressions.

A value is an array over all rows t ∈ ℤ and ``width`` channels. Rows are logical: a value may be
moved up as well as down, and only ``retime`` decides where it lies in the array of a BaseConv stack
(``delay``: logical row t is row t + delay there). In a circular program rows are taken modulo the
ring. Values are immutable and hold what they are made from; nothing here computes one::

    u = Input("u", 8)
    z = (u @ gate + bias) * conv(h, u)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from bestiary.compile.constants import Array, constant
from bestiary.compile.rows import Rows
from bestiary.compile.sizes import channel_count, row, whole
from bestiary.compile.taps import Taps
from bestiary.errors import UserError, counted


@dataclass(frozen=True, eq=False, repr=False, slots=True, kw_only=True)
class Value:
    """An array of ``width`` channels.

    name: what a person calls it, also in what the compiler says; "" is unnamed. labels: a name for
    each channel, or None. delay: where retiming put it, None before.
    """

    width: int
    name: str = ""
    labels: tuple[str, ...] | None = None
    delay: int | None = None

    @property
    def operands(self) -> tuple[Value, ...]:
        """The values it is made from."""
        return ()

    def remade(self, operands: Sequence[Value], **changes: Any) -> Value:
        """The same operation on other operands."""
        return replace(self, **changes) if changes else self

    def named(self, name: str, labels: Sequence[str] | None = None) -> Value:
        """The same value with a name, and one for each channel where given."""
        if labels is not None and len(labels) != self.width:
            raise UserError(
                f"{len(labels)} channel names were given for {name} of "
                f"{counted(self.width, 'channel')}"
            )
        return replace(self, name=name, labels=None if labels is None else tuple(labels))

    def channel_names(self) -> tuple[str, ...]:
        """A name for each channel: its label, or the value's name with the channel's number."""
        if self.labels is not None:
            return self.labels
        name = self.name or self.operation
        return (name,) if self.width == 1 else tuple(f"{name}.{i}" for i in range(self.width))

    @property
    def operation(self) -> str:
        """The name of the operation, lower case."""
        return type(self).__name__.lower()

    def __repr__(self) -> str:
        """Its operation, name and width; ``str`` of its program shows what it is made from."""
        name = f" {self.name!r}" if self.name else ""
        late = "" if self.delay is None else f", delay {self.delay}"
        return f"<{self.operation}{name}, {self.width} channel{'s' * (self.width != 1)}{late}>"

    def __iter__(self) -> Iterator[Value]:
        """Its channels, each a value of one."""
        return (read(self, channel) for channel in range(self.width))

    def __add__(self, other: Any) -> Value:
        return add(self, other)

    def __sub__(self, other: Any) -> Value:
        return add(self, -other)

    def __rsub__(self, other: Any) -> Value:
        return add(-self, other)

    def __mul__(self, other: Any) -> Value:
        return mul(self, other) if isinstance(other, Value) else row_scale(self, other)

    def __truediv__(self, other: float | int | Fraction) -> Value:
        if not isinstance(other, float | int | Fraction) or other == 0:
            raise UserError(
                f"{_called(self)} was divided by {_called_number(other)}; a program divides by "
                "numbers other than 0 alone, for layers only add and multiply"
            )
        exact = not isinstance(other, float)
        return row_scale(self, Fraction(1) / Fraction(other) if exact else 1 / other)

    def __neg__(self) -> Value:
        return row_scale(self, -1)

    def __matmul__(self, weight: Any) -> Value:
        return linear(self, weight)

    def __rmatmul__(self, weight: Any) -> Value:
        raise UserError(
            f"an array of shape {np.shape(weight)} stands to the left of {_called(self)}; a linear "
            "map of the channels stands to the right of them, u @ W"
        )

    def __getitem__(self, channels: int | slice | Sequence[int]) -> Value:
        return read(self, channels)

    __radd__ = __add__
    __rmul__ = __mul__
    # numpy must leave `array * value` to the value, instead of making an array of values.
    __array_ufunc__ = None


@dataclass(frozen=True, eq=False, repr=False, slots=True, kw_only=True)
class Input(Value):
    """An array given from outside: the program's rows from 0 on, 0 in all others."""


@dataclass(frozen=True, eq=False, repr=False, slots=True, kw_only=True)
class Constant(Value):
    """The same numbers whatever the input."""

    rows: Rows


@dataclass(frozen=True, eq=False, repr=False, slots=True, kw_only=True)
class Unary(Value):
    """What is made from one value."""

    x: Value

    @property
    def operands(self) -> tuple[Value, ...]:
        """x."""
        return (self.x,)

    def remade(self, operands: Sequence[Value], **changes: Any) -> Value:
        """The same operation on another x."""
        return replace(self, x=operands[0], **changes)


@dataclass(frozen=True, eq=False, repr=False, slots=True, kw_only=True)
class Linear(Unary):
    """x W + b, row by row: weight (channels of x, width), bias a row of numbers or None."""

    weight: Array
    bias: Rows | None = None


@dataclass(frozen=True, eq=False, repr=False, slots=True, kw_only=True)
class RowScale(Unary):
    """scale ⊙ x."""

    scale: Rows


@dataclass(frozen=True, eq=False, repr=False, slots=True, kw_only=True)
class Conv(Unary):
    """taps * x, channel by channel: row t is Σ_s taps[s] · x[t - s] over all powers s."""

    taps: Taps


@dataclass(frozen=True, eq=False, repr=False, slots=True, kw_only=True)
class Shift(Unary):
    """x moved ``by`` rows down (up where negative): row t is x[t - by]."""

    by: int


@dataclass(frozen=True, eq=False, repr=False, slots=True, kw_only=True)
class Mul(Value):
    """The product of two arrays, entry by entry."""

    a: Value
    b: Value

    @property
    def operands(self) -> tuple[Value, ...]:
        """Both factors."""
        return (self.a, self.b)

    def remade(self, operands: Sequence[Value], **changes: Any) -> Value:
        """The product of others."""
        return replace(self, a=operands[0], b=operands[1], **changes)


@dataclass(frozen=True, eq=False, repr=False, slots=True, kw_only=True)
class Add(Value):
    """The sum of arrays of one width."""

    terms: tuple[Value, ...]

    @property
    def operands(self) -> tuple[Value, ...]:
        """The terms."""
        return self.terms

    def remade(self, operands: Sequence[Value], **changes: Any) -> Value:
        """The same of other terms."""
        return replace(self, terms=tuple(operands), **changes)


@dataclass(frozen=True, eq=False, repr=False, slots=True, kw_only=True)
class Concat(Value):
    """The channels of several arrays beside each other."""

    parts: tuple[Value, ...]

    @property
    def operands(self) -> tuple[Value, ...]:
        """The parts."""
        return self.parts

    def remade(self, operands: Sequence[Value], **changes: Any) -> Value:
        """The same of other parts."""
        return replace(self, parts=tuple(operands), **changes)


@dataclass(frozen=True, eq=False, repr=False, slots=True, kw_only=True)
class Pad(Unary):
    """x with channels of zeros ``before`` and after it, ``width`` in all."""

    before: int


@dataclass(frozen=True, eq=False, repr=False, slots=True, kw_only=True)
class Read(Unary):
    """Some channels of x, in the order given."""

    picked: tuple[int, ...]


def input_array(name: str, width: int, labels: Sequence[str] | None = None) -> Input:
    """An input of ``width`` channels."""
    if channel_count(width, f"the input {name}") < 1:
        raise UserError(f"the input {name} has {counted(width, 'channel')}; it needs at least 1")
    names = None if labels is None else tuple(labels)
    return Input(width=width, name=name, labels=names)


def constant_array(rows: Any, width: int, name: str = "") -> Constant:
    """Numbers that do not depend on the input: ``Rows``, a number, or a number a channel."""
    channel_count(width, name or "a constant")
    return Constant(width=width, name=name, rows=_rows(rows, width, "a constant"))


def linear(x: Value, weight: Any, bias: Any = None, name: str = "") -> Value:
    """x W + b. weight (channels of x, out); bias a number, (out,) or ``Rows``."""
    _check_values("linear", x)
    matrix = constant(weight, f"the weight of {name or 'a linear map'}")
    if matrix.ndim != 2 or matrix.shape[0] != x.width:
        raise UserError(
            f"a weight of shape {matrix.shape} was given for {_called(x)} of "
            f"{counted(x.width, 'channel')}; "
            f"({x.width}, channels out) is needed"
        )
    width = matrix.shape[1]
    rows = None if bias is None else _rows(bias, width, "a bias")
    return Linear(width=width, name=name, x=x, weight=matrix, bias=rows)


def row_scale(x: Value, scale: Any, name: str = "") -> Value:
    """scale ⊙ x: a number, a number a channel, or ``Rows``."""
    _check_values("row_scale", x)
    return RowScale(width=x.width, name=name, x=x, scale=_rows(scale, x.width, "a scale"))


def conv(taps: Any, x: Value, name: str = "") -> Value:
    """taps * x. taps: ``Taps``, {power: values}, or (taps, channels) from power 0 on."""
    _check_values("conv", x)
    if isinstance(taps, dict):
        taps = Taps.at(taps)
    elif not isinstance(taps, Taps):
        taps = Taps.of(taps)
    if taps.channels not in (None, x.width):
        raise UserError(
            f"a filter of {taps.channels} channels was given for {_called(x)} of "
            f"{counted(x.width, 'channel')}; give one filter for all or one a channel"
        )
    return Conv(width=x.width, name=name, x=x, taps=taps)


def shift(x: Value, by: int, name: str = "") -> Value:
    """x moved ``by`` rows down, or up where ``by`` is negative."""
    _check_values("shift", x)
    return Shift(width=x.width, name=name, x=x, by=row(by, "a shift"))


def mul(a: Value, b: Value, name: str = "") -> Value:
    """a ⊙ b."""
    _check_values("mul", a, b)
    _same_width(a, b, "multiplied")
    return Mul(width=a.width, name=name, a=a, b=b)


def add(a: Value, b: Any, name: str = "") -> Value:
    """a + b, where b is a value, a number, a number a channel, or ``Rows``."""
    _check_values("add", a)
    if not isinstance(b, Value):
        b = constant_array(b, a.width)
    return total([a, b], name)


def total(terms: Sequence[Value], name: str = "") -> Value:
    """The sum of one or more values."""
    if not terms:
        raise UserError("a sum of no values was asked for; give at least one")
    _check_values("total", *terms)
    for term in terms[1:]:
        _same_width(terms[0], term, "added")
    return Add(width=terms[0].width, name=name, terms=tuple(terms))


def concat(parts: Sequence[Value], name: str = "") -> Value:
    """The channels of all parts, one part after the other."""
    if not parts:
        raise UserError("a concatenation of no values was asked for; give at least one")
    _check_values("concat", *parts)
    width = channel_count(sum(part.width for part in parts), name or "a concatenation")
    return Concat(width=width, name=name, parts=tuple(parts))


def pad(x: Value, width: int, before: int = 0, name: str = "") -> Value:
    """x among channels of zeros: ``before`` of them first, ``width`` channels in all."""
    _check_values("pad", x)
    channel_count(width, name or "a padded value")
    if whole(before, "the first channel of what is padded") < 0 or before + x.width > width:
        raise UserError(
            f"{_called(x)} of "
            f"{counted(x.width, 'channel')} does not fit into {width} from channel {before} on"
        )
    return Pad(width=width, name=name, x=x, before=before)


def read(x: Value, channels: int | slice | Sequence[int], name: str = "") -> Value:
    """Some channels of x: a number, a slice or a list of them."""
    _check_values("read", x)
    picked = np.arange(x.width)
    try:
        chosen = tuple(int(c) for c in np.atleast_1d(picked[channels]))
    except IndexError:
        raise UserError(
            f"channel {channels} was read of {_called(x)}, which has channels 0 to {x.width - 1}"
        ) from None
    return Read(width=len(chosen), name=name, x=x, picked=chosen)


def _rows(values: Any, width: int, what: str) -> Rows:
    rows = values if isinstance(values, Rows) else Rows.same(values, what)
    shape = rows.outside.shape
    if shape == ():
        rows = Rows(
            rows.start,
            np.broadcast_to(rows.values[:, None], (len(rows.values), width)),
            np.broadcast_to(rows.outside, (width,)),
        )
    elif shape != (width,):
        by_row = not isinstance(values, Rows) and len(shape) == 2 and shape[1] in (1, width)
        instead = "; numbers that differ from row to row are given as Rows.of(array)"
        raise UserError(
            f"{what} of shape {shape} was given for "
            f"{counted(width, 'channel')}{instead if by_row else ''}"
        )
    return rows


def _check_values(operation: str, *values: object) -> None:
    """``UserError`` where an operation was given something else than a value of a program."""
    for value in values:
        if not isinstance(value, Value):
            raise UserError(
                f"{operation} was given {type(value).__name__} where a value of a program is "
                "needed, such as input_array('u', 2) or what is made from it"
            )


def _same_width(a: Value, b: Value, done: str) -> None:
    if a.width != b.width:
        raise UserError(
            f"{_called(a)} of "
            f"{counted(a.width, 'channel')} and {_called(b)} of {b.width} cannot be {done}; "
            "they need equal widths"
        )


def _called(value: Value) -> str:
    article = "an" if value.operation[0] in "aeiou" else "a"
    return value.name or f"{article} {value.operation}"


def _called_number(other: object) -> str:
    return _called(other) if isinstance(other, Value) else repr(other)
