"""A polynomial of degree n at a point: Horner, Estrin, Paterson–Stockmeyer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bestiary.circuits.circuit import Circuit
from bestiary.circuits.library.entry import LibraryCircuit
from bestiary.circuits.library.formula import Formula, lg
from bestiary.circuits.library.sizes import need
from bestiary.circuits.library.trees import inner, powers
from bestiary.circuits.tracing import circuit
from bestiary.errors import UserError


def horner(n: int, coefficients: Sequence[Any] | None = None) -> Circuit:
    """c₀ + x(c₁ + x(c₂ + …)): c (n + 1,), lowest first, and x → the value.

    coefficients: constants in place of the input c.
    """

    def evaluated(c: Sequence[Any], x: Any) -> Any:
        value = c[-1]
        for coefficient in reversed(c[:-1]):
            value = coefficient + x * value
        return value

    return _evaluation(evaluated, n, coefficients)


def estrin(n: int, coefficients: Sequence[Any] | None = None) -> Circuit:
    """Pairs c₀ + c₁x, then pairs of those with x², x⁴, …: c (n + 1,), lowest first, and x.

    coefficients: constants in place of the input c. G. Estrin, Western Joint IRE-AIEE-ACM Computer
    Conference (1960).
    """
    return _evaluation(_by_pairs, n, coefficients)


def paterson_stockmeyer(n: int, coefficients: Sequence[Any] | None = None) -> Circuit:
    """x → Σ cᵢxⁱ with about 2√n products: x, …, x^k serve n/k blocks, joined as by Estrin.

    coefficients: the n + 1 constants, lowest first; 1, 2, …, n + 1 if none are given. With k a
    power of two the multiplicative depth is the least, ⌈log2 n⌉. M. Paterson and L. Stockmeyer,
    SIAM Journal on Computing 2 (1973).
    """
    need(n=n)
    c = list(range(1, n + 2)) if coefficients is None else list(coefficients)
    return _evaluation(at_few_products, n, c)


def at_few_products(c: Sequence[Any], x: Any) -> Any:
    """Σ c[i]·x^i for constants c by Paterson and Stockmeyer."""
    k = 1 << (lg(len(c) - 1) + 1) // 2
    small = [1, *powers(x, k)]
    blocks = [c[i : i + k] for i in range(0, len(c), k)]
    return _by_pairs([inner(block, small[: len(block)]) for block in blocks], small[k])


def _by_pairs(c: Sequence[Any], x: Any) -> Any:
    row = list(c)
    while len(row) > 1:
        pairs = [low + high * x for low, high in zip(row[::2], row[1::2], strict=False)]
        row = pairs + row[2 * len(pairs) :]
        x = x * x
    return row[0]


def _evaluation(
    evaluate: Callable[[Sequence[Any], Any], Any], n: int, coefficients: Sequence[Any] | None
) -> Circuit:
    need(n=n)
    if coefficients is None:

        @circuit(c=n + 1)
        def polynomial(c: Any, x: Any) -> Any:
            return evaluate(list(c), x)

        return polynomial
    if len(coefficients) != n + 1:
        raise UserError(
            f"{len(coefficients)} coefficients were given for degree {n}; {n + 1} are needed"
        )
    constants = list(coefficients)
    return circuit(lambda x: evaluate(constants, x))


CIRCUITS = (
    LibraryCircuit(
        name="horner",
        family="polynomials",
        description="A polynomial at a point, one coefficient after the other",
        build=horner,
        n_is="the degree",
        source="W. G. Horner, Philosophical Transactions 109 (1819)",
        multiplicative_depth=Formula("n"),
        depth=Formula("2*n"),
        size=Formula("2*n"),
        products=Formula("n"),
    ),
    LibraryCircuit(
        name="estrin",
        family="polynomials",
        description="A polynomial at a point, pairs of coefficients at once",
        build=estrin,
        n_is="the degree",
        source="G. Estrin, Western Joint Computer Conference (1960)",
        multiplicative_depth=Formula("lg(n + 1)"),
        depth=Formula("≤ 2*lg(n + 1)"),
        size=Formula("2*n + lg(n + 1) - 1"),
        products=Formula("n + lg(n + 1) - 1"),
    ),
    LibraryCircuit(
        name="paterson-stockmeyer",
        family="polynomials",
        description="A polynomial of constant coefficients with about 2√n products",
        build=paterson_stockmeyer,
        n_is="the degree",
        source="M. Paterson and L. Stockmeyer, SIAM Journal on Computing 2 (1973)",
        multiplicative_depth=Formula("lg(n)"),
        depth=Formula("≤ 2*lg(n) + 2"),
        products=Formula("≤ 2**((lg(n) + 1)//2) + n//2**((lg(n) + 1)//2) + lg(n)//2 - 2"),
    ),
)
