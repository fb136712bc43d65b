"""A retimed program channel by channel, each channel with the ways in which a cell can compute it.

A *node* is one channel of one value. What it is made from may be folded into the cell that computes
it or may lie on wires of its own, and a product may have either factor on the gate side: each of
these is a form (``fusion``) over other nodes, and a solver chooses one for each node that it wants
as a wire.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from bestiary.compile.cell import RowNumber
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
    convolved_by,
    filtered_number,
    multiplied,
    of_number,
    raised_by,
    scaled_by,
    simplest,
    summed,
)
from bestiary.compile.program import Program
from bestiary.compile.schedule import numbers
from bestiary.compile.taps import Taps, shift_by

MOST_FORMS = 12
"""So many ways to compute one node are looked at."""

MOST_AFFINE = 4
"""So many ways to have a node on a gate side are looked at."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Node(Value):
    """One channel of a value. forms: ways to compute it; none for a channel of an input."""

    forms: tuple[Form, ...] = ()

    @property
    def constant(self) -> RowNumber | None:
        """The number that it is whatever the input, or None."""
        if len(self.forms) == 1 and self.forms[0].constant:
            return simplest(self.forms[0].bias * self.forms[0].conv_bias)
        return None


def wires_of(form: Form) -> tuple[Value, ...]:
    """The nodes that a form reads, each once."""
    return tuple(dict.fromkeys([*form.gate, *([form.convolved] if form.convolved else [])]))


def nodes_of(program: Program) -> tuple[tuple[Node, ...], dict[Value, Read]]:
    """The nodes of the output, and for each node of an input the wire that it is."""
    lowering = Lowering(program)
    return lowering.output(), lowering.given


class Lowering:
    """The nodes of every value so far."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.given: dict[Value, Read] = {}
        self.nodes: dict[int, list[Node]] = {}

    def output(self) -> tuple[Node, ...]:
        """The nodes of the output."""
        for value in self.program:
            self.nodes[id(value)] = _LOWER[type(value)](self, value)
        return tuple(self.nodes[id(self.program.output)])

    def _node(self, forms: Iterable[Form], value: Value, channel: int) -> Node:
        kept = self._fitting(forms, value.delay or 0)
        for form in kept:
            wire = form.itself
            if isinstance(wire, Node) and wire.delay == value.delay:
                return wire
        named = bool(value.name or value.labels)
        name = value.channel_names()[channel] if named else ""
        return Node(width=1, name=name, delay=value.delay, forms=tuple(kept[:MOST_FORMS]))

    def _fitting(self, forms: Iterable[Form], delay: int) -> list[Form]:
        """Forms of which a cell with this delay can be made, each once, small ones first."""
        kept: dict[object, Form] = {}
        for form in forms:
            if form.constant:
                return [form]
            if any(wire.delay != delay for wire in form.gate):
                continue
            if form.convolved is not None and form.taps is not None and self.program.ring is None:
                lag = delay - (form.convolved.delay or 0)
                if form.taps.low + lag < 0:
                    continue
            kept.setdefault((frozenset(form.gate), form.convolved), form)
        return sorted(kept.values(), key=lambda form: len(form.gate))

    # A node as an operand

    def _options(self, node: Node) -> list[Form]:
        """The node as a wire, and what it is made from in its place."""
        number = node.constant
        if number is not None:
            return [of_number(number)]
        return [Form(gate={node: 1}), *node.forms]

    def _affine(self, node: Node) -> list[Form]:
        """Those that a gate side can hold: the wire, and the sums it stands for."""
        options = [form for form in self._options(node) if form.affine]
        if len(options) <= MOST_AFFINE:
            return options
        return [*options[: MOST_AFFINE - 1], options[-1]]

    # Operations

    def _input(self, value: Input) -> list[Node]:
        out = []
        for i, name in enumerate(value.channel_names()):
            node = Node(width=1, name=name, delay=0)
            self.given[node] = Read(width=1, name=name, x=value, picked=(i,), delay=0)
            out.append(node)
        return out

    def _constant(self, value: Constant) -> list[Node]:
        found = numbers(value.rows, value.width)
        return [self._node([of_number(n)], value, i) for i, n in enumerate(found)]

    def _sum(self, terms: Sequence[tuple[Node, Scalar]], bias: RowNumber) -> list[Form]:
        """A sum with every term as a wire, with every term folded in, and with one of either."""
        choices = [self._affine(node) for node, _ in terms]
        wires = [0] * len(terms)
        folded = [len(choice) - 1 for choice in choices]
        picks = [wires, folded]
        for i in range(len(terms)):
            if len(choices[i]) > 1 and len(terms) <= MOST_FORMS:
                picks += [[*wires[:i], folded[i], *wires[i + 1 :]]]
                picks += [[*folded[:i], j, *folded[i + 1 :]] for j in range(folded[i])]
        forms = []
        for pick in picks:
            parts = [choice[at] for choice, at in zip(choices, pick, strict=True)]
            weighted = [(part, weight) for part, (_, weight) in zip(parts, terms, strict=True)]
            forms.append(summed(weighted, bias))
        return [*forms, *self._raised(terms, bias)]

    def _raised(self, terms: Sequence[tuple[Node, Scalar]], bias: RowNumber) -> list[Form]:
        """One convolution plus numbers, which B2 can hold."""
        moving = [(node, weight) for node, weight in terms if node.constant is None]
        if len(moving) != 1:
            return []
        for node, weight in terms:
            bias = bias + (0 if node.constant is None else node.constant * weight)
        node, weight = moving[0]
        raised = [raised_by(form, weight, bias) for form in node.forms]
        return [form for form in raised if form is not None]

    def _linear(self, value: Linear) -> list[Node]:
        x = self.nodes[id(value.x)]
        biases: list[RowNumber] = [0] * value.width
        if value.bias is not None:
            biases = numbers(value.bias, value.width)
        out = []
        for j in range(value.width):
            weights = value.weight[:, j].tolist()
            terms = [(x[i], w) for i, w in enumerate(weights) if w != 0]
            out.append(self._node(self._sum(terms, biases[j]), value, j))
        return out

    def _add(self, value: Add) -> list[Node]:
        terms = [self.nodes[id(term)] for term in value.terms]
        return [
            self._node(self._sum([(term[i], 1) for term in terms], 0), value, i)
            for i in range(value.width)
        ]

    def _row_scale(self, value: RowScale) -> list[Node]:
        scales = numbers(value.scale, value.width)
        x = self.nodes[id(value.x)]
        return [self._node(self._scaled(x[i], scales[i]), value, i) for i in range(value.width)]

    def _scaled(self, node: Node, scale: RowNumber) -> list[Form]:
        done = [scaled_by(form, scale) for form in self._options(node)]
        return [form for form in done if form is not None]

    def _conv(self, value: Conv) -> list[Node]:
        x = self.nodes[id(value.x)]
        return [self._filtered(x[i], value.taps.column(i), value, i) for i in range(value.width)]

    def _shift(self, value: Shift) -> list[Node]:
        taps = shift_by(value.by)
        return [self._filtered(x, taps, value, i) for i, x in enumerate(self.nodes[id(value.x)])]

    def _filtered(self, node: Node, taps: Taps, value: Value, channel: int) -> Node:
        number = node.constant
        if taps.identity and (number is not None or node.delay == value.delay):
            return node
        if not np.any(taps.values != 0):
            return self._node([of_number(0)], value, channel)
        ring = self.program.ring
        if number is not None:
            return self._node([of_number(filtered_number(taps, number, ring))], value, channel)
        done = [convolved_by(form, taps, ring) for form in self._options(node)]
        return self._node([form for form in done if form is not None], value, channel)

    def _concat(self, value: Concat) -> list[Node]:
        return [node for part in value.parts for node in self.nodes[id(part)]]

    def _pad(self, value: Pad) -> list[Node]:
        inside = self.nodes[id(value.x)]
        zeros = [self._node([of_number(0)], value, i) for i in range(value.width - len(inside))]
        return [*zeros[: value.before], *inside, *zeros[value.before :]]

    def _read(self, value: Read) -> list[Node]:
        x = self.nodes[id(value.x)]
        return [x[i] for i in value.picked]

    def _mul(self, value: Mul) -> list[Node]:
        pairs = zip(self.nodes[id(value.a)], self.nodes[id(value.b)], strict=True)
        return [
            self._node(self._product(a, b, value, i), value, i) for i, (a, b) in enumerate(pairs)
        ]

    def _product(self, a: Node, b: Node, value: Value, channel: int) -> list[Form]:
        for one, other in ((a, b), (b, a)):
            if one.constant is not None:
                arrived = self._filtered(other, shift_by(0), value, channel)
                return self._scaled(arrived, one.constant)
        forms = []
        for gate, conv in ((a, b), (b, a)):
            for affine, side in product(self._affine(gate), self._options(conv)):
                made = multiplied(affine, side)
                forms += [] if made is None else [made]
        return forms


_LOWER: Mapping[type, Any] = {
    Input: Lowering._input,
    Constant: Lowering._constant,
    Linear: Lowering._linear,
    RowScale: Lowering._row_scale,
    Conv: Lowering._conv,
    Shift: Lowering._shift,
    Mul: Lowering._mul,
    Add: Lowering._add,
    Concat: Lowering._concat,
    Pad: Lowering._pad,
    Read: Lowering._read,
}
