"""Bits as signs: +1 for 0 and −1 for 1, so that exclusive or is a product and nothing else.

Said as in ``bestiary.circuits.bits``. Negation is free of constants, and parity is one product of
all; and, or and selection cost what they cost with 0 and 1.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from bestiary.circuits.bits import Bit, Bits, bit_count
from bestiary.circuits.number import as_number
from bestiary.circuits.plain_bits import of_bits
from bestiary.circuits.scans import tree
from bestiary.errors import UserError

HALF = Fraction(1, 2)


@of_bits
def to_signs(bits: Any) -> Any:
    """1 − 2·bit, of a bit or of a sequence. Depth 0."""
    return 1 - 2 * _entries(bits)


@of_bits
def from_signs(signs: Any) -> Any:
    """(1 − sign) / 2, of a sign or of a sequence. Depth 0."""
    return _halved(1 - _entries(signs))


@of_bits
def not_signs(a: Bit) -> Bit:
    """−a. Depth 0."""
    return -a


@of_bits
def xor_signs(a: Bit, b: Bit) -> Bit:
    """a · b. Depth 1."""
    return a * b


@of_bits
def xnor_signs(a: Bit, b: Bit) -> Bit:
    """−a · b. Depth 1."""
    return -(a * b)


@of_bits
def and_signs(a: Bit, b: Bit) -> Bit:
    """(1 + a + b − a·b) / 2. Depth 1."""
    return _halved(1 + a + b - a * b)


@of_bits
def or_signs(a: Bit, b: Bit) -> Bit:
    """(a + b + a·b − 1) / 2. Depth 1."""
    return _halved(a + b + a * b - 1)


@of_bits
def parity_signs(signs: Bits) -> Bit:
    """The product of n signs. Depth ⌈log2 n⌉."""
    return tree(xor_signs, signs, 1)


@of_bits
def select_signs(sign: Bit, a: Any, b: Any) -> Any:
    """a where the sign is −1, b where it is +1; a and b are any numbers, or arrays. Depth 1."""
    a, b = _entries(a), _entries(b)
    return _halved(a + b + sign * (b - a))


@of_bits
def distance_signs(a: Bits, b: Bits) -> Any:
    """In how many of n places two sequences differ, (n − a·b) / 2. Depth 1."""
    if bit_count(a) != bit_count(b):
        raise UserError(f"{len(a)} and {len(b)} signs were compared; both need as many (add ones)")
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
