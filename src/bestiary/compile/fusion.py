"""What of an expression fits into one cell: sums on the gate side, a filter on the other.

A *form* is a cell that is not decided on yet: (Σ weight · wire + bias) ⊙ (taps * wire + conv_bias).
Expressions are folded into forms as far as one layer allows; ``schedule`` makes a cell of a form
where something needs it as a wire.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from bestiary.compile.arithmetic import combined, of_bounded_size, total
from bestiary.compile.cell import Cell, RowNumber
from bestiary.compile.constants import Array, Scalar, alike
from bestiary.compile.expression import Value
from bestiary.compile.rows import Rows
from bestiary.compile.taps import Taps, shift_by

MOST_BY_TERM = 1 << 12
"""Terms of the sums of one linear map up to which they are added one by one."""


@dataclass(slots=True, eq=False)
class Form:
    """(Σ gate[wire] · wire + bias) ⊙ (taps * convolved + conv_bias), one channel.

    *affine*: the convolution side is 1. *filtered*: there is a filter, and the gate side is
    ``bias`` alone. made: the wire that holds it, once there is one.
    """

    gate: dict[Value, Scalar] = field(default_factory=dict)
    bias: RowNumber = 0
    convolved: Value | None = None
    taps: Taps | None = None
    conv_bias: RowNumber = 1
    name: str = ""
    delay: int | None = None
    uses: int = 0
    made: Value | None = None

    @property
    def affine(self) -> bool:
        """Whether the convolution side is 1."""
        return self.convolved is None and is_number(self.conv_bias, 1)

    @property
    def filtered(self) -> bool:
        """Whether it is a convolution with at most a row scale."""
        return self.convolved is not None and not self.gate

    @property
    def constant(self) -> bool:
        """Whether it does not depend on the input."""
        return self.convolved is None and not self.gate

    @property
    def single(self) -> Value | None:
        """The wire of which it is a multiple plus a number, or None."""
        return next(iter(self.gate)) if self.affine and len(self.gate) == 1 else None

    @property
    def itself(self) -> Value | None:
        """The wire that it is, nothing added and nothing multiplied, or None."""
        wire = self.single
        same = wire is not None and self.gate[wire] == 1 and is_number(self.bias, 0)
        return wire if same else None


def of_wire(wire: Value) -> Form:
    """The form that is a wire itself."""
    return Form(gate={wire: 1}, delay=wire.delay, made=wire)


def of_number(number: RowNumber) -> Form:
    """The form that is the same whatever the input."""
    return Form(bias=number)


def is_number(number: RowNumber, value: int) -> bool:
    """Whether a row number is ``value`` in every row."""
    return number.equals(value) if isinstance(number, Rows) else number == value


def simplest(number: RowNumber) -> RowNumber:
    """A plain number where every row is the same."""
    if isinstance(number, Rows) and number.uniform:
        outside = number.outside
        return outside.item() if isinstance(outside, np.ndarray) else outside
    return number


def scaled_by(form: Form, number: RowNumber) -> Form | None:
    """``number`` ⊙ form, or None where that takes a cell of its own."""
    number = simplest(number)
    if is_number(number, 0):
        return of_number(0)
    if form.constant:
        # Of exact numbers a product has as many digits as both, so that squares of squares explode.
        return Form(bias=of_bounded_size(simplest(form.bias * form.conv_bias * number)))
    if not isinstance(number, Rows):
        gate = {wire: weight * number for wire, weight in form.gate.items()}
        return Form(
            gate=gate,
            bias=simplest(form.bias * number),
            convolved=form.convolved,
            taps=form.taps,
            conv_bias=form.conv_bias,
        )
    if form.filtered:
        return Form(
            bias=form.bias * number,
            convolved=form.convolved,
            taps=form.taps,
            conv_bias=form.conv_bias,
        )
    if form.convolved is None:
        return Form(gate=form.gate, bias=form.bias, conv_bias=form.conv_bias * number)
    return None


def summed(terms: list[tuple[Form, Scalar]], bias: RowNumber = 0) -> Form:
    """Σ weight · form + bias, of affine forms."""
    gate: dict[Value, Scalar] = {}
    for form, weight in terms:
        for wire, own in form.gate.items():
            gate[wire] = gate.get(wire, 0) + own * weight
        bias = bias + form.bias * weight
    gate = {wire: weight for wire, weight in gate.items() if weight != 0}
    return Form(gate=gate, bias=simplest(bias))


def worth_a_matrix(columns: Sequence[Sequence[tuple[Form, Scalar]]], weight: Array) -> bool:
    """Whether these sums, the columns of float weights, are sums of many wires each, and the same.

    Every row is used then, and no sum is a single convolution.
    """
    terms = sum(len(form.gate) for terms in columns for form, _ in terms)
    if terms <= MOST_BY_TERM or weight.dtype == object:
        return False
    forms = dict.fromkeys(form for terms in columns for form, _ in terms)
    wires = {wire for form in forms for wire in form.gate}
    full = 2 * terms > weight.size * len(wires)
    return full and all(sum(not form.constant for form, _ in terms) > 1 for terms in columns)


def summed_columns(forms: Sequence[Form], weight: Array, biases: Sequence[RowNumber]) -> list[Form]:
    """``summed`` of affine forms for each column of weights, to the same last digit."""
    wires = list(dict.fromkeys(wire for form in forms for wire in form.gate))
    place = {wire: i for i, wire in enumerate(wires)}
    gates, biases = np.zeros((weight.shape[1], len(wires))), list(biases)
    for form, row in zip(forms, weight, strict=True):
        own = np.zeros(len(wires))
        own[[place[wire] for wire in form.gate]] = list(form.gate.values())
        gates += row[:, None] * own
        if not is_number(form.bias, 0):
            biases = [
                b + form.bias * w if w else b for b, w in zip(biases, row.tolist(), strict=True)
            ]
    return [
        Form(
            gate={wires[i]: float(column[i]) for i in np.flatnonzero(column).tolist()},
            bias=simplest(bias),
        )
        for column, bias in zip(gates, biases, strict=True)
    ]


def raised_by(form: Form, weight: Scalar, number: RowNumber) -> Form | None:
    """weight · form + number of a convolution that is no wire yet, on its side; else None."""
    factor = simplest(form.bias)
    if form.made is not None or not form.filtered or isinstance(factor, Rows):
        return None
    assert form.taps is not None
    return Form(
        bias=1,
        convolved=form.convolved,
        taps=form.taps.scaled(factor * weight),
        conv_bias=simplest(form.conv_bias * (factor * weight) + number),
    )


def multiplied(gate: Form, conv: Form) -> Form | None:
    """gate ⊙ conv with an affine form on the gate side, or None where that takes more cells."""
    if conv.filtered:
        factor = simplest(conv.bias)
        if isinstance(factor, Rows):
            return None
        return Form(
            gate={wire: weight * factor for wire, weight in gate.gate.items()},
            bias=gate.bias * factor,
            convolved=conv.convolved,
            taps=conv.taps,
            conv_bias=conv.conv_bias,
        )
    wire = conv.single
    if wire is None:
        return None
    return Form(
        gate=dict(gate.gate),
        bias=gate.bias,
        convolved=wire,
        taps=shift_by(0).scaled(conv.gate[wire]),
        conv_bias=conv.bias,
    )


def cell_of(form: Form, layer: int) -> Cell:
    """The cell that computes a form in a layer."""
    return Cell(
        width=1,
        name=form.name,
        delay=form.delay or 0,
        gate=tuple(form.gate),
        weights=tuple(form.gate.values()),
        gate_bias=simplest(form.bias),
        convolved=form.convolved,
        taps=form.taps,
        conv_bias=simplest(form.conv_bias),
        layer=layer,
    )


def convolved_by(form: Form, taps: Taps, ring: int | None) -> Form | None:
    """taps * form, or None where form has to be a wire first."""
    factor = simplest(form.bias)
    if form.filtered and not isinstance(factor, Rows):
        assert form.taps is not None
        both = (form.taps * taps).scaled(factor)
        number = filtered_number(taps, form.conv_bias * factor, ring)
        return Form(bias=1, convolved=form.convolved, taps=both, conv_bias=number)
    wire = form.single
    if wire is None:
        return None
    bias = filtered_number(taps, form.bias, ring)
    return Form(bias=1, convolved=wire, taps=taps.scaled(form.gate[wire]), conv_bias=bias)


def filtered_number(taps: Taps, number: RowNumber, ring: int | None) -> RowNumber:
    """taps * number, over all rows, or those of a ring."""
    number = simplest(number)
    if not isinstance(number, Rows):
        return number * total(taps.values)
    if ring is not None:
        taps = taps.wrapped(ring)
        long = taps.applied(number.at(0, ring))
        turned = np.zeros(3 * ring, dtype=long.dtype)
        turned[taps.low : taps.low + len(long)] = long
        turned = combined(lambda rows: rows.sum(axis=0), turned.reshape(3, ring))
        return simplest(Rows(0, turned, np.zeros((), dtype=turned.dtype)))
    moving = taps.applied(combined(np.subtract, number.values, number.outside))
    outside = combined(np.multiply, number.outside, total(taps.values))
    values = combined(np.add, moving, outside)
    return simplest(Rows(number.start + taps.low, *alike(values, outside)))
