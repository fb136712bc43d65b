"""Scheduling: which cell computes what, in which layer.

Expressions are folded into forms (``fusion``) as far as one layer can compute them; a form becomes
a cell, in the earliest layer that has its operands, where something needs it as a wire of its own.
A wire that a layer convolves has to lie in the channel of the result, so that a wire convolved
twice in one layer needs a copy. A copy costs no layer but in the layer right after a wire was made
by a convolution, or was given: there the second use waits.

For a product both orders are tried: T(p) = max(T(L) + 1, T(R) + 2) where R has to be gathered on a
wire first, max(T(L), T(R)) + 1 where it is a multiple of one (docs/theory.md, 'Depth').
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bestiary.compile.arithmetic import arithmetic
from bestiary.compile.cell import Cell, RowNumber
from bestiary.compile.constants import Scalar
from bestiary.compile.expression import (
    Add,
    Concat,
    Constant,
    Conv,
    Input,
    Linear,
    Mul,
    Pad,
    Read,
    RowScale,
    Shift,
    Value,
)
from bestiary.compile.fusion import (
    Form,
    cell_of,
    convolved_by,
    filtered_number,
    multiplied,
    of_number,
    of_wire,
    raised_by,
    scaled_by,
    simplest,
    summed,
    summed_columns,
    worth_a_matrix,
)
from bestiary.compile.program import Program
from bestiary.compile.rows import Rows
from bestiary.compile.slack import later
from bestiary.compile.taps import Taps, shift_by
from bestiary.compile.uses import alive_channels, uses_of

Channels = list[Form]
"""A value, channel by channel."""

MOST_SUMMED = 16
"""A sum that several others use, of more wires, keeps those that are there early on one wire.

Every use would read them all, so that deep programs took time, weights and channels with the square
of their layers. Of 8 to 32 it makes little difference, 64 take twice the time in deep narrow ones.
"""


@arithmetic()
def schedule(program: Program, in_step: bool = False) -> Program:
    """The same program as cells, each with the layer that computes it, out of a retimed one.

    Inputs are layer 0. The output is a ``Concat`` of wires, which all lie in the last layer when
    they are carried there (``allocate``). in_step: channels of one value wait for each other, so
    that no more are there at once than the operations of the program have; without it each is as
    early as it can be, and some of several operations may be there together.
    """
    return later(Scheduler(program, in_step).scheduled())


class Scheduler:
    """The forms of every value so far, the layer of every wire, and who convolves it at once."""

    def __init__(self, program: Program, in_step: bool = False) -> None:
        self.program = program
        self.in_step = in_step
        self.forms: dict[int, Channels] = {}
        self.layer: dict[Value, int] = {}
        self.claimed: set[Value] = set()
        self.uses = uses_of(program)

    def scheduled(self) -> Program:
        """All values in order, then the output as wires."""
        alive = alive_channels(self.program)
        for value in self.program:
            forms = _LOWER[type(value)](self, value)
            uses = self.uses[id(value)]
            names = value.channel_names() if value.name or value.labels else None
            for i, form in enumerate(forms):
                if form.delay is None or form.made is None:
                    form.delay = value.delay
                if names is not None and not form.name and form.made is None:
                    form.name = names[i]
                # A form that a value hands on has the uses of where it comes from.
                if not form.uses:
                    form.uses = int(uses[i])
                    forms[i] = self._narrowed(form, alive[id(value)])
            self.forms[id(value)] = forms
            if self.in_step:
                self._align(forms)
        return reading(self.program, [self.wire(f) for f in self.forms[id(self.program.output)]])

    def _align(self, forms: Channels) -> None:
        """Take the wires behind the channels of a value as of the layer of the last of them."""
        read = (wire for form in forms for wire in (*form.gate, form.convolved, form.made))
        wires = {wire for wire in read if wire is not None}
        last = max((self.layer[wire] for wire in wires), default=0)
        self.layer.update(dict.fromkeys(wires, last))

    # Wires

    def wire(self, form: Form) -> Value:
        """The wire that holds a form, made now if there is none."""
        if form.made is None:
            wire = form.itself
            if wire is None or wire.delay != form.delay:
                wire = self._made(form)
            form.made = wire
        return form.made

    def _made(self, form: Form) -> Value:
        layer = self._layer(form.gate, form.convolved)
        if form.convolved is not None and layer == self.layer[form.convolved] + 1:
            self.claimed.add(form.convolved)
        cell = cell_of(form, layer)
        self.layer[cell] = layer
        return cell

    def _layer(self, gate: Mapping[Value, Scalar], convolved: Value | None) -> int:
        """The earliest layer that can compute such a cell."""
        ready = max((self.layer[wire] for wire in gate), default=0)
        if convolved is None:
            return ready + 1
        layer = max(ready, self.layer[convolved]) + 1
        waits = layer == self.layer[convolved] + 1 and self._taken(convolved)
        return layer + waits

    def _taken(self, wire: Value) -> bool:
        """Whether the layer after a wire's own convolves it, and it cannot lie there twice."""
        twice = isinstance(wire, Cell) and wire.convolved is None
        return wire in self.claimed and not twice

    def _narrowed(self, form: Form, alive: int) -> Form:
        """A shared sum of many wires, those that are there a layer earlier gathered on one.

        That delays nothing, and those that use the sum read few wires instead of all. Where more
        channels are still to be used than there are wires, the wires are the fewer to keep.
        """
        wide = len(form.gate) > max(MOST_SUMMED, alive) and form.uses > 1 and form.affine
        if not wide or form.made is not None or self.in_step:
            return form
        last = self._affine_ready(form)
        early = {wire: weight for wire, weight in form.gate.items() if self.layer[wire] < last}
        if len(early) < 2:
            return form
        name = form.name and f"{form.name} so far"
        gathered = self.wire(Form(gate=early, name=name, delay=form.delay))
        late = {wire: weight for wire, weight in form.gate.items() if wire not in early}
        return replace(form, gate={gathered: 1, **late})

    # Operations

    def _input(self, value: Input) -> Channels:
        wires = [
            Read(width=1, name=name, x=value, picked=(i,), delay=0)
            for i, name in enumerate(value.channel_names())
        ]
        for wire in wires:
            self.layer[wire] = 0
        return [of_wire(wire) for wire in wires]

    def _constant(self, value: Constant) -> Channels:
        return [of_number(number) for number in numbers(value.rows, value.width)]

    def _affine(self, form: Form) -> Form:
        return form if form.affine else of_wire(self.wire(form))

    def _linear(self, value: Linear) -> Channels:
        x = self.forms[id(value.x)]
        biases: list[RowNumber] = [0] * value.width
        if value.bias is not None:
            biases = numbers(value.bias, value.width)
        columns = [
            [(form, w) for form, w in zip(x, column, strict=True) if w != 0]
            for column in value.weight.T.tolist()
        ]
        if worth_a_matrix(columns, value.weight):
            return summed_columns([self._affine(form) for form in x], value.weight, biases)
        return [self._sum(terms, bias) for terms, bias in zip(columns, biases, strict=True)]

    def _add(self, value: Add) -> Channels:
        terms = [self.forms[id(term)] for term in value.terms]
        return [self._sum([(term[i], 1) for term in terms]) for i in range(value.width)]

    def _sum(self, terms: list[tuple[Form, Scalar]], bias: RowNumber = 0) -> Form:
        """A convolution plus numbers stays one: B2 is for them."""
        moving = [(form, weight) for form, weight in terms if not form.constant]
        if len(moving) == 1 and moving[0][0].uses <= 1:
            number = bias
            for form, weight in terms:
                if form.constant:
                    number = number + form.bias * form.conv_bias * weight
            done = raised_by(*moving[0], number)
            if done is not None:
                return done
        return summed([(self._affine(form), weight) for form, weight in terms], bias)

    def _row_scale(self, value: RowScale) -> Channels:
        scales = numbers(value.scale, value.width)
        return [
            self._scaled(form, scale)
            for form, scale in zip(self.forms[id(value.x)], scales, strict=True)
        ]

    def _scaled(self, form: Form, scale: RowNumber) -> Form:
        if form.made is not None:
            form = of_wire(form.made) if not form.affine else form
        done = scaled_by(form, scale)
        if done is None:
            done = scaled_by(of_wire(self.wire(form)), scale)
        assert done is not None
        return done

    def _conv(self, value: Conv) -> Channels:
        forms = self.forms[id(value.x)]
        return [
            self._convolved(form, value.taps.column(i), value.delay or 0)
            for i, form in enumerate(forms)
        ]

    def _shift(self, value: Shift) -> Channels:
        taps = shift_by(value.by)
        return [self._convolved(form, taps, value.delay or 0) for form in self.forms[id(value.x)]]

    def _convolved(self, form: Form, taps: Taps, delay: int) -> Form:
        if taps.identity and (form.constant or form.delay == delay):
            return form
        if not np.any(taps.values != 0):
            # No power of it counts for the delays, so it must not be a filter of a layer.
            return of_number(0)
        if form.constant:
            number = form.bias * form.conv_bias
            return of_number(filtered_number(taps, number, self.program.ring))
        if form.made is not None and form.single is None:
            form = of_wire(form.made)
        done = convolved_by(form, taps, self.program.ring)
        if done is None:
            done = convolved_by(of_wire(self.wire(form)), taps, self.program.ring)
        assert done is not None
        return done

    def _concat(self, value: Concat) -> Channels:
        return [form for part in value.parts for form in self.forms[id(part)]]

    def _pad(self, value: Pad) -> Channels:
        inside = self.forms[id(value.x)]
        after = value.width - value.before - len(inside)
        zeros = [of_number(0) for _ in range(value.before + after)]
        return [*zeros[: value.before], *inside, *zeros[value.before :]]

    def _read(self, value: Read) -> Channels:
        forms = self.forms[id(value.x)]
        return [forms[i] for i in value.picked]

    def _mul(self, value: Mul) -> Channels:
        pairs = zip(self.forms[id(value.a)], self.forms[id(value.b)], strict=True)
        return [self._product(a, b, value.delay or 0) for a, b in pairs]

    def _product(self, a: Form, b: Form, delay: int) -> Form:
        for one, other in ((a, b), (b, a)):
            if one.constant:
                arrived = self._convolved(other, shift_by(0), delay)
                return self._scaled(arrived, one.bias * one.conv_bias)
        orders = [self._order(a, b, delay), self._order(b, a, delay)]
        _, make = min(orders, key=lambda order: order[0])
        return make()

    def _order(
        self, gate: Form, conv: Form, delay: int
    ) -> tuple[tuple[float, ...], Callable[[], Form]]:
        """What it costs to have ``gate`` on the gate side, and how to.

        The cost: layer, new cells, uses of the convolved one: of two wires, that with fewer other
        users goes there, so that it need not be in two channels and others find theirs free.
        """
        if gate.delay is not None and gate.delay != delay:
            return (np.inf,), lambda: Form()
        ready, new = self._ready(gate) if not gate.affine else (self._affine_ready(gate), 0)
        options = []
        fusible = conv.made is None and conv.filtered and not isinstance(conv.bias, Rows)
        if fusible or conv.single is not None:
            wire = conv.convolved if fusible else conv.single
            assert wire is not None
            layer = max(ready, self.layer[wire]) + 1
            layer += layer == self.layer[wire] + 1 and self._taken(wire)
            cells = new + (fusible and conv.uses > 1) / 2
            options.append(((layer, cells, conv.uses), False))
        if conv.single is None:
            on_wire, more = self._ready(conv)
            options.append(((max(ready, on_wire) + 1, new + more, conv.uses), True))
        best, gathered = min(options, key=lambda option: option[0])

        def make() -> Form:
            affine = self._affine(gate)
            done = multiplied(affine, of_wire(self.wire(conv)) if gathered else conv)
            assert done is not None
            return done

        return best, make

    def _affine_ready(self, form: Form) -> int:
        return max((self.layer[wire] for wire in form.gate), default=0)

    def _ready(self, form: Form) -> tuple[int, int]:
        """The layer in which a form is a wire, and how many cells that makes."""
        if form.made is not None:
            return self.layer[form.made], 0
        return self._layer(form.gate, form.convolved), 1


def reading(program: Program, wires: Sequence[Value]) -> Program:
    """The program whose output is those wires, under the name and labels of the one there was."""
    output = program.output
    read = Concat(
        width=len(wires),
        name=output.name or "output",
        labels=output.channel_names(),
        parts=tuple(wires),
        delay=output.delay or 0,
    )
    return replace(program, output=read)


def numbers(rows: Rows, width: int) -> list[RowNumber]:
    """Row constants channel by channel, plain numbers where every row is the same."""
    if not len(rows.values):
        return [v.item() if hasattr(v, "item") else v for v in rows.outside]
    return [simplest(rows.column(i)) for i in range(width)]


_LOWER: Mapping[type, Any] = {
    Input: Scheduler._input,
    Constant: Scheduler._constant,
    Linear: Scheduler._linear,
    RowScale: Scheduler._row_scale,
    Conv: Scheduler._conv,
    Shift: Scheduler._shift,
    Mul: Scheduler._mul,
    Add: Scheduler._add,
    Concat: Scheduler._concat,
    Pad: Scheduler._pad,
    Read: Scheduler._read,
}
