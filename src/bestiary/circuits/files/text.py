"""Circuits as text that people write.

::

    circuit distance                    # its name, if it has one
    input x[2] y[2]                     # arrays, or scalars: input z
    dx = x[0] - y[0]                    # + - * / ** and parentheses, as in Python
    dy = x[1] - y[1]
    square = dx**2 + dy ^ 2             # ^ is ** too
    output square                       # a gate, under its own name
    output 3 * (dx + 1/2) as other      # an expression, under a name
    output dx, dy as both[2]            # an array, entries in row-major order

Lines may stand in any order; every gate is defined once. Numbers are whole (3, 0xff), fractions
(1/3), floating-point (0.1, 1e-3) or imaginary (2j), and are kept as they are given; whole numbers
are divided exactly. Divisors and exponents are constants. Names are words of letters, digits and _,
or any text "in quotes". # starts a comment.

Written circuits have one gate a line. Gates without a name are called g0, g1, …, and names of that
form are forgotten when they are read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np

from bestiary.circuits.building import Builder
from bestiary.circuits.circuit import Circuit
from bestiary.circuits.files.expression import Step, built, postfix, references
from bestiary.circuits.files.mistake import mistake
from bestiary.circuits.files.numeral import write_number
from bestiary.circuits.files.order import Statement, in_order
from bestiary.circuits.files.refusals import REASONS
from bestiary.circuits.files.words import (
    Reference,
    Word,
    index_at,
    quoted,
    sign,
    spelled,
    words_of,
    written,
)
from bestiary.circuits.gates import Operation, Port, Shape
from bestiary.circuits.number import LONGEST
from bestiary.circuits.tracing import MOST_INPUTS
from bestiary.errors import UserError

GIVEN_NAME = re.compile(r"g+[0-9]+")
OUTPUT_FORM = "output NAME, output EXPRESSION as NAME, or output EXPRESSION, … as NAME[LENGTH]"

_SIGNS = {Operation.ADD: "+", Operation.SUBTRACT: "-", Operation.MULTIPLY: "*"}
_RANK = {Operation.CONSTANT: 0, Operation.INPUT: 1}
"""In sums and products constants come first, then inputs: an order that reading does not change."""


def to_text(circuit: Circuit) -> str:
    """The circuit as text, one gate a line."""
    names = gate_names(circuit)
    lines = [f"circuit {quoted(circuit.name)}"]
    lines += [f"input {_shaped(port)}" for port in circuit.inputs]
    texts = _operands(circuit, names)
    for gate, name in names.items():
        operation = Operation(int(circuit.operations[gate]))
        pair = [int(circuit.left[gate]), int(circuit.right[gate])]
        if operation != Operation.SUBTRACT:
            pair.sort(key=lambda g: (_RANK.get(Operation(int(circuit.operations[g])), 2), g))
        lines.append(f"{quoted(name)} = {texts[pair[0]]} {_SIGNS[operation]} {texts[pair[1]]}")
    results = iter(circuit.results.tolist())
    for port in circuit.outputs:
        entries = ", ".join(texts[next(results)] for _ in range(port.size))
        lines.append(" ".join(filter(None, ["output", entries, "as", _shaped(port)])))
    return "\n".join(lines) + "\n"


def _shaped(port: Port) -> str:
    return written((port.name, port.shape))


def gate_names(circuit: Circuit) -> dict[int, str]:
    """A name for each gate that computes something: its own, where that can be told apart."""
    taken = {port.name for port in circuit.inputs}
    prefix = "g"
    while any(re.fullmatch(prefix + "[0-9]+", name) for name in taken):
        prefix += "g"
    names: dict[int, str] = {}
    for place, gate in enumerate(np.flatnonzero(circuit.operations >= Operation.ADD).tolist()):
        own = circuit.names.get(gate)
        if own is None or own in taken or GIVEN_NAME.fullmatch(own):
            own = f"{prefix}{place}"
        names[gate] = own
        taken.add(own)
    return names


def _operands(circuit: Circuit, names: dict[int, str]) -> dict[int, str]:
    """How each gate is written where it is used."""
    texts = {gate: quoted(name) for gate, name in names.items()}
    inputs = [
        written((port.name, index)) for port in circuit.inputs for index in np.ndindex(port.shape)
    ]
    for gate in np.flatnonzero(circuit.operations == Operation.INPUT).tolist():
        texts[gate] = inputs[circuit.left[gate]]
    for gate in np.flatnonzero(circuit.operations == Operation.CONSTANT).tolist():
        number = circuit.constants[circuit.left[gate]]
        text = write_number(number)
        texts[gate] = text if isinstance(number, int | float) else f"({text})"
    return texts


def from_text(text: str, where: str = "the text", name: str = "circuit") -> Circuit:
    """The circuit of a text, called ``name`` where the text says nothing.

    ``UserError`` with the number of the line and what was expected there.
    """
    lines = _Lines(name)
    for number, line in enumerate(text.split("\n"), 1):
        try:
            words = words_of(line)
            if words:
                lines.take(number, words)
        except UserError as error:
            raise mistake(where, number, error) from None
    return lines.circuit(where)


@dataclass
class _Definition:
    """A line that makes gates of expressions: one for a name, or all entries of an output."""

    line: int
    parts: list[list[Step]]
    name: str | None = None
    output: Port | None = None


@dataclass
class _Lines:
    """What the lines so far say."""

    name: str
    builder: Builder = field(default_factory=Builder)
    gates: dict[Reference, int] = field(default_factory=dict)
    definitions: list[_Definition] = field(default_factory=list)

    def take(self, number: int, words: Sequence[Word]) -> None:
        """One line."""
        first, rest = words[0], words[1:]
        if rest and rest[0] == sign("="):
            if first.kind != "name":
                raise UserError(f"a name is expected before =, not {first}")
            self.definitions.append(_Definition(number, [postfix(rest[1:])], name=first.text))
        elif first == Word("name", "circuit"):
            if len(rest) != 1 or rest[0].kind != "name":
                raise UserError('one name is expected after circuit; others go "in quotes"')
            self.name = rest[0].text
        elif first == Word("name", "input"):
            self._inputs(rest)
        elif first == Word("name", "output"):
            self.definitions.append(self._output(number, rest))
        else:
            expected = f"circuit, input, output or NAME = EXPRESSION is expected, not {first}"
            raise UserError(REASONS.get(first.text, expected))

    def _inputs(self, words: Sequence[Word]) -> None:
        if not words:
            raise UserError("a name is expected after input, such as x or x[3]")
        at = 0
        while at < len(words):
            name, shape, at = _port(words, at)
            if prod(shape) + len(self.gates) > MOST_INPUTS:
                raise UserError(f"inputs of up to {MOST_INPUTS:,} scalars in all are taken")
            gates = self.builder.input(name, shape)
            self.gates |= {
                (name, index): gate for index, gate in zip(np.ndindex(shape), gates, strict=True)
            }
            at += words[at : at + 1] == [sign(",")]

    def _output(self, number: int, words: Sequence[Word]) -> _Definition:
        for at in range(len(words) - 1, -1, -1):
            if words[at] == Word("name", "as") and at + 1 < len(words):
                name, shape, end = _port(words, at + 1)
                if end != len(words):
                    raise UserError(f"{words[end]} stands behind the output's name; {OUTPUT_FORM}")
                parts = _parts(words[:at])
                if not parts and 0 not in shape:
                    raise UserError(f"an expression is expected between output and {name}")
                if len(parts) != prod(shape):
                    raise UserError(
                        f"{written((name, shape))} has {prod(shape)} entries and is given "
                        f"{len(parts)}"
                    )
                return _Definition(number, parts, output=Port(name, shape))
        if len(words) != 1 or words[0].kind != "name":
            raise UserError(_no_name(words))
        return _Definition(number, [postfix(words)], output=Port(words[0].text))

    def circuit(self, where: str) -> Circuit:
        """The circuit of all lines."""
        statements = [
            Statement(
                definition.line,
                () if definition.name is None else ((definition.name, ()),),
                tuple(r for part in definition.parts for r in references(part)),
            )
            for definition in self.definitions
        ]
        self._check(where)
        outputs: dict[str, tuple[Shape, list[int]]] = {}
        for place in in_order(statements, self.gates, where, written):
            definition = self.definitions[place]
            try:
                gates = [built(part, self.builder, self.gates) for part in definition.parts]
            except UserError as error:
                raise mistake(where, definition.line, error) from None
            if definition.name is not None:
                self.gates[definition.name, ()] = gates[0]
                if not GIVEN_NAME.fullmatch(definition.name):
                    self.builder.call(gates[0], definition.name)
            elif definition.output is not None:
                outputs[definition.output.name] = definition.output.shape, gates
        in_their_order = [d.output.name for d in self.definitions if d.output is not None]
        if not in_their_order:
            raise UserError(f"{where} has no outputs, or is cut off; add a line {OUTPUT_FORM}")
        return self.builder.finished({n: outputs[n] for n in in_their_order}, self.name)

    def _check(self, where: str) -> None:
        """References to arrays that are not as their array, and names that are taken."""
        shapes = {port.name: port.shape for port in self.builder.inputs}
        outputs: set[str] = set()
        for definition in self.definitions:
            if definition.name in shapes:
                raise mistake(
                    where, definition.line, f"{definition.name} is an input, and is defined again"
                )
            if definition.output is not None:
                if definition.output.name in outputs:
                    name = definition.output.name
                    raise mistake(where, definition.line, f"two outputs are called {name}")
                outputs.add(definition.output.name)
            for name, index in (r for part in definition.parts for r in references(part)):
                if name in shapes and (name, index) not in self.gates:
                    raise mistake(
                        where,
                        definition.line,
                        f"{written((name, index))} is no entry of the input "
                        f"{written((name, shapes[name]))}; indices count from 0",
                    )


def _port(words: Sequence[Word], at: int) -> tuple[str, Shape, int]:
    """A name and a shape at a place, and the place behind them."""
    if words[at].kind != "name":
        raise UserError(f"a name is expected, not {words[at]}")
    shape, end = index_at(words, at + 1)
    return words[at].text, shape, end


def _no_name(words: Sequence[Word]) -> str:
    """A sentence on what an output lacks. ``UserError`` where what comes out is no expression."""
    if not words:
        return f"a name or an expression is expected after output: {OUTPUT_FORM}"
    if words[-1] == Word("name", "as"):
        return f"a name is expected behind as: {OUTPUT_FORM}"
    if sign("=") in words:
        return f"= defines a gate, in a line of its own; {OUTPUT_FORM} is expected"
    text = spelled(words)
    text = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    if all(word.kind == "name" for word in words):
        return f"an output has one name, and {text} are {len(words)}; {OUTPUT_FORM} is expected"
    count = len(_parts(words))
    form = "as NAME" if count == 1 else f"as NAME[{count}]"
    return f"{form} is missing: output {text} {form} is expected"


def _parts(words: Sequence[Word]) -> list[list[Step]]:
    """Expressions between commas that stand in no brackets."""
    if not words:
        return []
    parts: list[list[Word]] = [[]]
    depth = 0
    for word in words:
        if word.kind == "sign":
            depth += (word.text in "([") - (word.text in ")]")
        if word == sign(",") and depth == 0:
            parts.append([])
        else:
            parts[-1].append(word)
    return [postfix(part) for part in parts]
