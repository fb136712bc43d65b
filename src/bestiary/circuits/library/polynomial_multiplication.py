"""The product of two polynomials of n coefficients, and convolutions, which are such products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bestiary.circuits.circuit import Circuit
from bestiary.circuits.library.entry import LibraryCircuit
from bestiary.circuits.library.formula import Formula
from bestiary.circuits.library.sizes import need, one_of
from bestiary.circuits.library.trees import Array, Vector, filled, inner, listed
from bestiary.circuits.tracing import circuit


def schoolbook(n: int) -> Circuit:
    """a, b (n,) of coefficients, lowest first → (2n − 1,): one product deep, n² products."""
    return _product(multiplied, n)


def karatsuba(n: int, threshold: int = 1) -> Circuit:
    """a, b (n,) → (2n − 1,) by three products of halves in place of four, n^1.585 in all.

    threshold: from this many coefficients down as in school. A. Karatsuba and Y. Ofman, Doklady
    Akademii Nauk 145 (1962).
    """
    need(threshold=threshold)
    return _product(lambda a, b: _halved(a, b, threshold), n)


def convolution(n: int, mode: str = "circular") -> Circuit:
    """Discrete convolution of a and b (n,): Σ_i a[i]·b[k − i].

    mode: circular (indices modulo n) → (n,), causal (the first n entries) → (n,), or full
    → (2n − 1,).
    """
    need(n=n)
    one_of(("circular", "causal", "full"), mode=mode)

    @circuit(a=n, b=n)
    def convolved(a: Array, b: Array) -> Any:
        if mode == "circular":
            return listed(inner(a, [b[(k - i) % n] for i in range(n)]) for k in range(n))
        return multiplied(a, b, n if mode == "causal" else None)

    return convolved


def multiplied(a: Vector, b: Vector, most: int | None = None) -> list[Any]:
    """The coefficients of the product, every sum a balanced tree: (m,), (n,) → (m + n − 1,).

    most: how many of them are made, from the lowest.
    """
    found = []
    for k in range(len(a) + len(b) - 1)[:most]:
        first, last = max(0, k - len(b) + 1), min(k, len(a) - 1)
        found.append(inner(a[first : last + 1], [b[k - i] for i in range(first, last + 1)]))
    return found


def _halved(a: Array, b: Array, threshold: int) -> Array:
    n = len(a)
    if n <= threshold:
        return listed(multiplied(a, b))
    half = (n + 1) // 2
    low = _halved(a[:half], b[:half], threshold)
    high = _halved(a[half:], b[half:], threshold)
    both = _halved(_sum(a[:half], a[half:]), _sum(b[:half], b[half:]), threshold)
    middle = both - _sum(low, high)
    found = filled(2 * n - 1, 0)
    found[: len(low)] = low
    found[2 * half :] = high
    found[half : half + len(middle)] += middle[: len(found) - half]
    return found


def _sum(long: Array, short: Array) -> Array:
    found = long.copy()
    found[: len(short)] += short
    return found


def _product(multiply: Callable[[Array, Array], Any], n: int) -> Circuit:
    need(n=n)

    @circuit(a=n, b=n)
    def product(a: Array, b: Array) -> Any:
        return multiply(a, b)

    return product


CIRCUITS = (
    LibraryCircuit(
        name="polynomial-product",
        family="polynomials",
        description="The product of two polynomials, in school",
        build=schoolbook,
        n_is="coefficients of each",
        source="Cauchy product",
        multiplicative_depth=Formula("1"),
        depth=Formula("1 + lg(n)"),
        size=Formula("n**2 + (n - 1)**2"),
        products=Formula("n**2"),
        most=256,
    ),
    LibraryCircuit(
        name="karatsuba",
        family="polynomials",
        description="The product of two polynomials by three products of halves",
        build=karatsuba,
        n_is="coefficients of each",
        source="A. Karatsuba and Y. Ofman, Doklady Akademii Nauk 145 (1962)",
        multiplicative_depth=Formula("1"),
        depth=Formula("≤ max(3, 3*lg(n) - 1)"),
        products=Formula("≤ 3**lg(n)"),
        options={"threshold": 1},
        most=256,
    ),
    LibraryCircuit(
        name="circular-convolution",
        family="polynomials",
        description="Discrete convolution with indices modulo n",
        build=convolution,
        n_is="entries of each",
        source="Definition of the convolution",
        multiplicative_depth=Formula("1"),
        depth=Formula("1 + lg(n)"),
        size=Formula("n*(2*n - 1)"),
        products=Formula("n**2"),
        options={"mode": "circular"},
        most=256,
    ),
    LibraryCircuit(
        name="causal-convolution",
        family="polynomials",
        description="The first n entries of a discrete convolution",
        build=convolution,
        n_is="entries of each",
        source="Definition of the convolution",
        multiplicative_depth=Formula("1"),
        depth=Formula("1 + lg(n)"),
        size=Formula("n**2"),
        products=Formula("n*(n + 1)//2"),
        options={"mode": "causal"},
        most=256,
    ),
)
