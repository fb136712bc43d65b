"""Sums and products as people write them, 3 * (x[0] - 1/2) ** 2, turned into gates.

An expression becomes steps in postfix order (``postfix``), and the steps become gates (``built``).
Operators bind as in Python. Nothing recurses, so that lines may be as long and as deep as anybody
writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from bestiary.circuits.building import Builder
from bestiary.circuits.files.numeral import read_number
from bestiary.circuits.files.refusals import REASONS, call_of
from bestiary.circuits.files.words import Reference, Word, index_at
from bestiary.circuits.number import Number
from bestiary.circuits.symbol import DIVISION, whole_exponent
from bestiary.errors import UserError

BINDING = {"+": 1, "-": 1, "*": 2, "/": 2, "negate": 3, "keep": 3, "**": 4}
PREFIX = {"-": "negate", "+": "keep"}

Step = Reference | Number | str
"""A value, a constant, or an operation on the one or two values before it."""


def postfix(words: Sequence[Word]) -> list[Step]:
    """An expression's steps, each operation behind its operands."""
    expression = _Expression(words)
    while expression.at < len(words):
        if expression.after_value:
            expression.operator()
        else:
            expression.value()
    return expression.ended()


class _Expression:
    """Words up to a place. waiting: operations and ( whose last operand is not complete."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = words
        self.at = 0
        self.after_value = False
        self.steps: list[Step] = []
        self.waiting: list[str] = []

    def value(self) -> None:
        """A number, a reference, or what may stand before one."""
        word = self.words[self.at]
        self.at += 1
        if word.kind == "number":
            self.steps.append(read_number(word.text))
            self.after_value = True
        elif word.kind == "name":
            index, self.at = index_at(self.words, self.at)
            self.steps.append((word.text, index))
            self.after_value = True
        elif word.text == "(":
            self.waiting.append("(")
        elif word.text in PREFIX:
            self.waiting.append(PREFIX[word.text])
        else:
            raise UserError(f"a value is expected where {word} stands")

    def operator(self) -> None:
        """An operation between two values, or )."""
        word = self.words[self.at]
        if word.kind != "sign" or (word.text not in BINDING and word.text != ")"):
            raise self._no_operation()
        self.at += 1
        if word.text == ")":
            self._release(0)
            if not self.waiting:
                raise UserError("a ) closes no (")
            self.waiting.pop()
            return
        # a - b - c is (a - b) - c, but a ** b ** c is a ** (b ** c).
        self._release(BINDING[word.text] + (word.text == "**"))
        self.waiting.append(word.text)
        self.after_value = False

    def _no_operation(self) -> UserError:
        """The error for a value with something behind it that is no operation."""
        before, word = self.words[self.at - 1], self.words[self.at]
        for one in (word, before):
            if one.kind == "name" and one.text in REASONS:
                return UserError(REASONS[one.text])
        if word.text == "(" and before.kind == "name":
            return call_of(str(before))
        return UserError(f"an operation (+ - * / **) is expected before {word}")

    def ended(self) -> list[Step]:
        """All steps, where the words are an expression."""
        if not self.after_value:
            behind = f" behind {self.words[-1]}" if self.words else ""
            raise UserError(f"a value is expected{behind}")
        self._release(0)
        if self.waiting:
            raise UserError("a ( is never closed")
        return self.steps

    def _release(self, least: int) -> None:
        """Operations that bind at least so strongly have all their operands."""
        while self.waiting and self.waiting[-1] != "(" and BINDING[self.waiting[-1]] >= least:
            self.steps.append(self.waiting.pop())


def references(steps: Sequence[Step]) -> tuple[Reference, ...]:
    """What the steps refer to, once each."""
    return tuple(dict.fromkeys(step for step in steps if isinstance(step, tuple)))


def built(steps: Sequence[Step], builder: Builder, gates: Mapping[Reference, int]) -> int:
    """The gate that the steps end with."""
    values: list[int] = []
    for step in steps:
        if isinstance(step, tuple):
            values.append(gates[step])
        elif not isinstance(step, str):
            values.append(builder.constant(step))
        elif step == "negate":
            values.append(builder.multiply(builder.constant(-1), values.pop()))
        elif step != "keep":
            right, left = values.pop(), values.pop()
            values.append(_OPERATIONS[step](builder, left, right))
    return values[0]


def _divided(builder: Builder, left: int, right: int) -> int:
    divisor = builder.value(right)
    if divisor is None:
        raise UserError(DIVISION)
    if divisor == 0:
        raise UserError("a value is divided by 0; a divisor must be another number")
    exact = isinstance(divisor, int | Fraction)
    inverse: Any = 1 / Fraction(divisor) if exact else 1 / divisor  # type: ignore[arg-type]
    return builder.multiply(left, builder.constant(inverse))


def _raised(builder: Builder, left: int, right: int) -> int:
    exponent = builder.value(right)
    if exponent is None:
        raise UserError("an exponent depends on the inputs; a constant whole number is needed")
    return builder.power(left, whole_exponent(exponent))


_OPERATIONS: Mapping[str, Callable[[Builder, int, int], int]] = {
    "+": Builder.add,
    "-": Builder.subtract,
    "*": Builder.multiply,
    "/": _divided,
    "**": _raised,
}
