"""Bits as signs: +1 for 0 and −1 for 1, so that exclusive or is a product and nothing else.

Said as in ``bestiary.circuits.bits``. Negation is free of constants, and parity is one product of
all; and, or and selection cost what they cost with 0 and 1.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from bestiary.circuits.bits import Bit, Bits
from bestiary.circuits.number import as_number
from bestiary.circuits.scans import tree

HALF = Fraction(1, 2)


def to_signs(bits: Any) -> Any:
    """1 − 2·bit, of a bit or of a sequence. Depth 0."""
    return 1 - 2 * _entries(bits)


def from_signs(signs: Any) -> Any:
    """(1 − sign) / 2, of a sign or of a sequence. Depth 0."""
    return _halved(1 - _entries(signs))


def not_signs(a: Bit) -> Bit:
    """−a. Depth 0."""
    return -a


def xor_signs(a: Bit, b: Bit) -> Bit:
    """a · b. Depth 1."""
    return a * b


def xnor_signs(a: Bit, b: Bit) -> Bit:
    """−a · b. Depth 1."""
    return -(a * b)


def and_signs(a: Bit, b: Bit) -> Bit:
    """(1 + a + b − a·b) / 2. Depth 1."""
    return _halved(1 + a + b - a * b)


def or_signs(a: Bit, b: Bit) -> Bit:
    """(a + b + a·b − 1) / 2. Depth 1."""
    return _halved(a + b + a * b - 1)


def parity_signs(signs: Bits) -> Bit:
    """The product of n signs. Depth ⌈log2 n⌉."""
    return tree(xor_signs, signs, 1)


def select_signs(sign: Bit, a: Any, b: Any) -> Any:
    """a where the sign is −1, b where it is +1; a and b are any numbers. Depth 1."""
    return _halved(a + b + sign * (b - a))


def distance_signs(a: Bits, b: Bits) -> Any:
    """In how many of n places two sequences differ, (n − a·b) / 2. Depth 1."""
    return _halved(len(a) - sum(x * y for x, y in zip(a, b, strict=True)))


def _entries(values: Any) -> Any:
    return np.asarray(values, dtype=object) if isinstance(values, list | tuple) else values


def _halved(value: Any) -> Any:
    """Half of it exactly; whole numbers stay such."""
    half = value * HALF
    if isinstance(half, Fraction):
        return as_number(half)
    if isinstance(half, np.ndarray):
        whole = [as_number(x) if isinstance(x, Fraction) else x for x in half.ravel().tolist()]
        done = np.empty(half.size, dtype=object)
        done[:] = whole
        return done.reshape(half.shape)
    return half
