"""A scalar that is not known yet: what a traced function computes with.

Vectors and arrays of them are numpy arrays of objects, so that slices, ``@``, ``sum``, ``prod`` and
broadcasting are numpy's own.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from bestiary.circuits.building import Builder
from bestiary.circuits.number import as_number
from bestiary.errors import UserError

FUNCTIONS = {name for name, function in vars(np).items() if isinstance(function, np.ufunc)} - {
    "conjugate"
}
"""Of numpy: on arrays of objects they look for a method of their own name."""
LARGEST_POWER = 1 << 16


class Symbol:
    """A gate of a circuit that is being built."""

    __slots__ = ("builder", "gate")
    # Sums with arrays are numpy's, entry by entry; with anything else they are ours.
    __array_priority__ = 0

    def __init__(self, builder: Builder, gate: int) -> None:
        self.builder = builder
        self.gate = gate

    def __add__(self, other: Any) -> Any:
        return self._with(other, self.builder.add)

    def __radd__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: self.builder.add(b, a))

    def __sub__(self, other: Any) -> Any:
        return self._with(other, self.builder.subtract)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: self.builder.subtract(b, a))

    def __mul__(self, other: Any) -> Any:
        return self._with(other, self.builder.multiply)

    def __rmul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: self.builder.multiply(b, a))

    def __neg__(self) -> Symbol:
        minus = self.builder.constant(-1)
        return Symbol(self.builder, self.builder.multiply(minus, self.gate))

    def __pos__(self) -> Symbol:
        return self

    def __pow__(self, exponent: Any) -> Symbol:
        if isinstance(exponent, Symbol):
            raise UserError(
                "a power with an exponent that depends on the inputs is no polynomial; use a "
                "constant whole number"
            )
        number = as_number(exponent, "an exponent")
        if not isinstance(number, int) or number < 0:
            raise UserError(
                f"the exponent {exponent} makes no polynomial; a whole number from 0 on is needed"
            )
        if number > LARGEST_POWER:
            raise UserError(
                f"a power of degree {number} was asked for; degrees up to {LARGEST_POWER} are taken"
            )
        return Symbol(self.builder, self.builder.power(self.gate, number))

    def __rpow__(self, base: Any) -> NoReturn:
        raise UserError(
            f"{base} to a power that depends on the inputs is no polynomial; use a constant "
            "whole number as the exponent"
        )

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Symbol):
            _refuse_division()
        number = as_number(other, "a divisor")
        if number == 0:
            raise UserError("a value was divided by 0; a divisor must be another number")
        return self * (1 / number if isinstance(number, float | complex) else 1 / Fraction(number))

    def __rtruediv__(self, other: Any) -> NoReturn:
        _refuse_division()

    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = lambda self, other: _refuse_division()

    def conjugate(self) -> NoReturn:
        """Not a polynomial."""
        raise UserError(
            "the conjugate of a value is no polynomial of it; give real and imaginary parts as "
            "two inputs"
        )

    def _compared(self, other: Any) -> NoReturn:
        raise UserError(
            "two values were compared; a circuit adds and multiplies alone, so that it cannot "
            "compare: write bits and use bestiary.circuits.eq_bits, less_bits or select(bit, a, b)"
        )

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _compared
    __hash__ = object.__hash__

    def __bool__(self) -> NoReturn:
        raise UserError(
            "an if, while, and, or depends on a value of the inputs; a circuit does the same for "
            "all inputs: use bestiary.circuits.select(bit, a, b)"
        )

    def __index__(self) -> NoReturn:
        raise UserError(
            "a value of the inputs was used as an index or a number of times; a circuit has both "
            "fixed: use select(bit, a, b) over all places"
        )

    def _number(self) -> NoReturn:
        raise UserError(
            "a value of the inputs was turned into a plain number, which it is not before the "
            "circuit runs; functions other than sums and products are not polynomials"
        )

    __int__ = __float__ = __complex__ = __abs__ = __round__ = _number

    def __getattr__(self, name: str) -> Callable[..., NoReturn]:
        if name not in FUNCTIONS:
            raise AttributeError(f"a symbol has no {name}")

        def refuse(*arguments: object) -> NoReturn:
            raise UserError(
                f"{name} of a value was asked for; a circuit only adds and multiplies: use a "
                "polynomial in its place"
            )

        return refuse

    def __repr__(self) -> str:
        return f"Symbol({self.gate})"

    def _with(self, other: Any, combine: Callable[[int, int], int]) -> Any:
        if isinstance(other, Symbol):
            if other.builder is not self.builder:
                raise UserError("values of two circuits were combined; trace them as one function")
            return Symbol(self.builder, combine(self.gate, other.gate))
        if getattr(other, "shape", ()) or isinstance(other, list | tuple):
            return NotImplemented
        return Symbol(self.builder, combine(self.gate, self.builder.constant(other)))


def _refuse_division() -> NoReturn:
    raise UserError(
        "a value was divided by one that depends on the inputs; a circuit only adds and "
        "multiplies: give the inverse as an input, or multiply through by the divisor"
    )
