"""Bits as numbers that can be added and multiplied, whatever type numpy holds them in."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
T = TypeVar("T")


def of_bits(function: Callable[P, T]) -> Callable[P, T]:
    """A function of bits that takes booleans and short whole numbers of numpy as numbers.

    numpy adds booleans as "or", subtracts none, and computes modulo 2⁸ where a number has 8 bits.
    """

    @wraps(function)
    def of_plain_bits(*arguments: P.args, **named: P.kwargs) -> T:
        # ParamSpec does not say that what is changed still fits.
        plain: Any = function
        return plain(*map(_plain, arguments), **{key: _plain(bit) for key, bit in named.items()})

    return of_plain_bits


def _plain(bits: Any) -> Any:
    if isinstance(bits, list | tuple):
        return [_plain(bit) for bit in bits]
    if isinstance(bits, np.generic) and bits.dtype.kind in "biu":
        return int(bits)
    if isinstance(bits, np.ndarray) and bits.dtype.kind in "biu":
        return bits.astype(object if bits.dtype == np.uint64 else np.int64, copy=False)
    return bits
