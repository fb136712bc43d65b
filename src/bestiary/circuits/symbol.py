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
from bestiary.circuits.calling import Unknown
from bestiary.circuits.number import as_number, shown
from bestiary.errors import UserError

FUNCTIONS = {name for name, function in vars(np).items() if isinstance(function, np.ufunc)} - {
    "conjugate"
}
"""Of numpy: on arrays of objects they look for a method of their own name."""
LARGEST_POWER = 1 << 16
DIVISION = (
    "a value was divided by one that depends on the inputs; a circuit only adds and multiplies: "
    "give the inverse as an input, or multiply through by the divisor"
)
MODULO = (
    "a circuit only adds and multiplies: compute everything modulo a number with "
    "evaluate(circuit, values, modulus), or write bits"
)
PARTS = (
    "the real part, imaginary part or conjugate of a value is no polynomial of it; give real and "
    "imaginary parts as two inputs"
)


class Symbol(Unknown):
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

    def __pow__(self, exponent: Any, modulus: object = None) -> Any:
        if modulus is not None:
            raise UserError(f"a power modulo {shown(modulus)} was asked for; {MODULO}")
        if _is_array(exponent):
            return NotImplemented
        if isinstance(exponent, Symbol):
            raise UserError(
                "a power with an exponent that depends on the inputs is no polynomial; use a "
                "constant whole number"
            )
        return Symbol(self.builder, self.builder.power(self.gate, whole_exponent(exponent)))

    def __rpow__(self, base: Any) -> NoReturn:
        raise UserError(
            f"{shown(base)} to a power that depends on the inputs is no polynomial; use a constant "
            "whole number as the exponent"
        )

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Symbol):
            raise UserError(DIVISION)
        if _is_array(other):
            return NotImplemented
        number = as_number(other, "a divisor")
        if number == 0:
            raise UserError("a value was divided by 0; a divisor must be another number")
        return self * (1 / number if isinstance(number, float | complex) else 1 / Fraction(number))

    def __rtruediv__(self, other: Any) -> NoReturn:
        raise UserError(DIVISION)

    def _rounded(self, other: Any) -> NoReturn:
        raise UserError(f"a quotient was rounded, or a remainder taken; {MODULO}")

    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = _rounded

    def _bitwise(self, other: Any = None) -> NoReturn:
        raise UserError(
            "a bitwise operation (&, |, ^, ~, << or >>) was asked for; values are numbers: take "
            "bits as inputs, and bestiary.circuits.and_, or_, xor or not_ of them"
        )

    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = _bitwise
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _bitwise

    def __matmul__(self, other: Any) -> Any:
        if _is_array(other):
            return NotImplemented
        raise UserError("a scalar was multiplied with @, which takes arrays; use *")

    __rmatmul__ = __matmul__

    def conjugate(self) -> NoReturn:
        """Not a polynomial."""
        raise UserError(PARTS)

    @property
    def real(self) -> NoReturn:
        """Not a polynomial."""
        raise UserError(PARTS)

    @property
    def imag(self) -> NoReturn:
        """Not a polynomial."""
        raise UserError(PARTS)

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

    def _number(self, digits: object = None) -> NoReturn:
        raise UserError(
            "a value of the inputs was turned into a plain number, which it is not before the "
            "circuit runs; keep values in arrays of dtype=object, and add and multiply alone"
        )

    __int__ = __float__ = __complex__ = __trunc__ = _number

    def _kinked(self, digits: object = None) -> NoReturn:
        raise UserError(
            "an absolute value was taken, or a value rounded; a circuit only adds and multiplies: "
            "use a polynomial in its place"
        )

    __abs__ = __round__ = __floor__ = __ceil__ = _kinked

    def __copy__(self) -> Symbol:
        return self

    def __deepcopy__(self, memo: object) -> Symbol:
        return self

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
        if _is_array(other):
            return NotImplemented
        if isinstance(other, np.ndarray):
            other = other[()]
        if isinstance(other, list | tuple):
            raise UserError(
                f"a value was combined with {shown(other)}, a {type(other).__name__}; make it an "
                "array: np.array(…)"
            )
        if isinstance(other, Symbol):
            if other.builder is not self.builder:
                raise UserError("values of two circuits were combined; trace them as one function")
            return Symbol(self.builder, combine(self.gate, other.gate))
        return Symbol(self.builder, combine(self.gate, self.builder.constant(other)))


def whole_exponent(exponent: Any) -> int:
    """An exponent as a whole number. ``UserError`` for one that makes no polynomial, or a huge one.

    Floats that are whole numbers are taken.
    """
    number = as_number(exponent, "an exponent")
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    if not isinstance(number, int) or number < 0:
        raise UserError(
            f"the exponent {shown(exponent)} makes no polynomial; a whole number from 0 on is "
            "needed"
        )
    if number > LARGEST_POWER:
        raise UserError(
            f"a power of degree {shown(number)} was asked for; degrees up to {LARGEST_POWER} are "
            "taken"
        )
    return number


def _is_array(other: Any) -> bool:
    """Whether numpy, or another library of arrays, does the operation entry by entry."""
    return bool(getattr(other, "shape", ()))
