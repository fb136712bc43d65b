"""Circuits of expressions and matrices of sympy (extra ``sympy``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from bestiary.circuits.building import Builder
from bestiary.circuits.circuit import Circuit
from bestiary.circuits.number import Number, as_number, shown
from bestiary.circuits.symbol import whole_exponent
from bestiary.circuits.sympy_matrix import determinant_of, entries_of, trace_of
from bestiary.errors import UserError
from bestiary.imports import load_extra

OUTPUT = "out"
_Rule = tuple[Sequence[Any], Callable[[list[int]], int]]
"""The operands of an expression, and its gate made of theirs."""


def from_sympy(expression: Any, symbols: Iterable[Any] | None = None) -> Circuit:
    """The circuit of a sympy expression, or of a matrix or array of them, as it is written.

    symbols: the inputs in order, ``Symbol`` or ``MatrixSymbol``; those that the expression has, by
    name, unless given. The output is called "out" and has the shape of the matrix. Whole numbers
    and fractions stay exact; π, √2 and the like are floating-point numbers. Sums over ranges,
    derivatives and the like are carried out. Equal subexpressions are one gate. ``UserError`` for
    what is no polynomial of the symbols (division by one, sin, comparisons, fractional powers), for
    symbols that are not among those given, and without sympy.
    """
    sympy = load_extra("sympy", "sympy", "circuits of expressions need")
    shape, entries = _entries(sympy, expression)
    builder = Builder()
    inputs: dict[Any, int] = {}
    if isinstance(symbols, sympy.Basic):
        symbols = [symbols]
    if not isinstance(symbols, Iterable | None):
        raise UserError(f"{shown(symbols)} is given as the symbols; a list of them is needed")
    for symbol in _symbols_of(entries) if symbols is None else symbols:
        inputs |= _input(sympy, builder, symbol)
    walk = _Walk(sympy, builder, inputs)
    gates = [walk.gate(entry) for entry in entries]
    return builder.finished({OUTPUT: (shape, gates)}, "expression")


class _Walk:
    """Gates of expressions, operands first and without recursion: Horner forms are deep."""

    def __init__(self, sympy: Any, builder: Builder, inputs: dict[Any, int]) -> None:
        self.sympy, self.builder = sympy, builder
        self.done: dict[Any, int] = dict(inputs)
        self.carried_out: dict[Any, Any] = {}

    def gate(self, root: Any) -> int:
        """The gate of an expression."""
        waiting = [root]
        while waiting:
            top = waiting[-1]
            if top in self.done:
                waiting.pop()
                continue
            needed, combine = self._rule(top)
            missing = [operand for operand in needed if operand not in self.done]
            if missing:
                waiting += missing
                continue
            self.done[top] = combine([self.done[operand] for operand in needed])
            waiting.pop()
        return self.done[root]

    def _rule(self, node: Any) -> _Rule:
        """What a node needs, and how its gate is made of theirs."""
        sympy = self.sympy
        if isinstance(node, sympy.Tuple | sympy.Set):
            raise UserError(
                f"{_shown(node)} is a {type(node).__name__}; an expression, a matrix or an array "
                "of sympy is needed"
            )
        if not isinstance(node, sympy.Expr):
            raise UserError(
                f"{_shown(node)} compares or decides; a circuit only adds and multiplies: write "
                "bits and use bestiary.circuits.eq_bits, less_bits or select(bit, a, b)"
            )
        if node.is_Number or node.is_NumberSymbol or node is sympy.I:
            return self._constant(node)
        if node.is_Add:
            plus = [term for term in node.args if not _is_negated(term)]
            minus = [self._without_sign(term) for term in node.args if _is_negated(term)]
            return [*plus, *minus], lambda gates: self._sum(gates[: len(plus)], gates[len(plus) :])
        if node.is_Mul:
            if node.is_commutative is False:
                raise UserError(
                    f"{_shown(node)} has factors that do not commute; a circuit computes with "
                    "numbers: use symbols that commute, or a MatrixSymbol"
                )
            return node.args, self._product
        if node.is_Pow:
            return self._power(node)
        return self._other(node)

    def _constant(self, node: Any) -> _Rule:
        number = _number(node)
        return (), lambda _: self.builder.constant(number)

    def _without_sign(self, term: Any) -> Any:
        rest = term.args[1:]
        return rest[0] if len(rest) == 1 else self.sympy.Mul(*rest, evaluate=False)

    def _sum(self, plus: list[int], minus: list[int]) -> int:
        builder = self.builder
        if not minus:
            return builder.total(plus)
        if not plus:
            return builder.multiply(builder.constant(-1), builder.total(minus))
        return builder.subtract(builder.total(plus), builder.total(minus))

    def _product(self, gates: list[int]) -> int:
        """Constants last, so that they do not take places in the tree of what moves."""
        numbers = [gate for gate in gates if self.builder.value(gate) is not None]
        moving = [gate for gate in gates if self.builder.value(gate) is None]
        return self.builder.product([*([self.builder.product(moving)] if moving else []), *numbers])

    def _power(self, node: Any) -> _Rule:
        base, exponent = node.args
        if exponent.free_symbols:
            raise UserError(
                f"{_shown(node)} has an exponent that depends on the inputs, which makes no "
                "polynomial; use a constant whole number"
            )

        def raised(gates: list[int]) -> int:
            if self.builder.value(gates[0]) is not None:
                return self.builder.constant(_number(node))
            if exponent.is_negative:
                raise UserError(
                    f"{_shown(node)} divides by {_shown(base)}, which depends on the inputs; a "
                    "circuit only adds and multiplies: give the inverse as an input, or multiply "
                    "through by the divisor"
                )
            try:
                return self.builder.power(gates[0], whole_exponent(_number(exponent)))
            except UserError as error:
                raise UserError(f"in {_shown(node)} {error}") from None

        return [base], raised

    def _other(self, node: Any) -> _Rule:
        """A symbol that is no input, a sum over a range, a determinant, or what is refused."""
        sympy = self.sympy
        if isinstance(node, sympy.Symbol | sympy.matrices.expressions.matexpr.MatrixElement):
            raise UserError(
                f"the expression has {node}, which is none of the symbols that were given; name "
                "every input"
            )
        if node not in self.carried_out:
            self.carried_out[node] = self._carried_out(node)
        done = self.carried_out[node]
        if done != node:
            return [done], lambda gates: gates[0]
        if not node.free_symbols:
            return self._constant(node)
        raise UserError(
            f"{_shown(node)} is no polynomial of the inputs; a circuit only adds and multiplies: "
            "use a polynomial in its place"
        )

    def _carried_out(self, node: Any) -> Any:
        sympy = self.sympy
        if isinstance(node, sympy.Determinant):
            return determinant_of(sympy, node.arg)
        if isinstance(node, sympy.Trace):
            return trace_of(sympy, node.arg)
        if isinstance(node, sympy.Permanent):
            return node.func(node.arg.doit().as_explicit()).doit()
        done = node.doit()
        # Binomials and falling factorials of a known length are polynomials.
        return node.expand(func=True) if done == node else done


def _entries(sympy: Any, expression: Any) -> tuple[tuple[int, ...], list[Any]]:
    """Shape and expressions, in row-major order."""
    if isinstance(expression, sympy.MatrixExpr):
        entries = entries_of(sympy, expression)
        return entries.shape, entries.ravel().tolist()
    if isinstance(expression, sympy.MatrixBase | sympy.NDimArray):
        shape = tuple(int(length) for length in expression.shape)
        return shape, list(sympy.flatten(expression))
    if isinstance(expression, sympy.Poly):
        if expression.get_domain().is_FiniteField:
            raise UserError(
                f"{shown(expression)} is a polynomial modulo {expression.get_modulus()}; a circuit "
                "takes no remainders: give its as_expr(), over all numbers"
            )
        expression = expression.as_expr()
    if not isinstance(expression, sympy.Basic):
        raise UserError(
            f"{shown(expression)} is a {type(expression).__name__}; an expression, a matrix or an "
            "array of sympy is needed"
        )
    return (), [expression]


def _symbols_of(entries: Iterable[Any]) -> list[Any]:
    """What the entries depend on, by name."""
    found: set[Any] = set()
    for entry in entries:
        # sympy's own free_symbols recurses; operands are walked here, bound symbols left to it.
        waiting, seen = [entry], set()
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            if node.is_Add or node.is_Mul or node.is_Pow:
                waiting += node.args
            else:
                found |= node.free_symbols
    return sorted(found, key=str)


def _input(sympy: Any, builder: Builder, symbol: Any) -> dict[Any, int]:
    """The gates of a symbol, or of every entry of a matrix of them."""
    if not isinstance(symbol, sympy.Symbol | sympy.MatrixSymbol):
        raise UserError(
            f"{_shown(symbol)} is given as an input; a Symbol or a MatrixSymbol of sympy is needed"
        )
    name = str(symbol)
    if not isinstance(symbol, sympy.MatrixSymbol):
        return {symbol: builder.input(name)[0]}
    if not all(length.is_Integer for length in symbol.shape):
        raise UserError(f"{name} is {symbol.shape}; a matrix needs whole numbers as its shape")
    shape = tuple(int(length) for length in symbol.shape)
    gates = builder.input(name, shape)
    return {symbol[at]: gate for at, gate in zip(np.ndindex(shape), gates, strict=True)}


def _is_negated(term: Any) -> bool:
    """Whether a term is −1 times something."""
    return bool(term.is_Mul and term.args[0] == -1)


def _number(node: Any) -> Number:
    """A constant expression: exact where it is a whole number or a fraction."""
    if node.is_Rational:
        return as_number(Fraction(int(node.p), int(node.q)))
    try:
        value = complex(node)
    except (TypeError, ValueError):
        raise UserError(f"{_shown(node)} is no number; a constant has to be one") from None
    return as_number(value if value.imag else value.real, _shown(node))


def _shown(node: Any) -> str:
    try:
        return shown(node)
    except RecursionError:
        return f"a {type(node).__name__} too deep to be shown"
