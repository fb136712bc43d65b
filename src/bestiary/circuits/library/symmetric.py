"""Elementary symmetric polynomials and power sums of n variables."""

from __future__ import annotations

from typing import Any

from bestiary.circuits.circuit import Circuit
from bestiary.circuits.library.entry import LibraryCircuit
from bestiary.circuits.library.formula import Formula
from bestiary.circuits.library.sizes import need
from bestiary.circuits.library.trees import Array, filled, listed, powers, total
from bestiary.circuits.scans import tree
from bestiary.circuits.tracing import circuit


def elementary_symmetric(n: int) -> Circuit:
    """x (n,) → (n,): e_1, …, e_n, where e_k sums the products of k different variables.

    The coefficients of Π (1 + x_i t), multiplied as a balanced tree.
    """
    need(n=n)

    @circuit(x=n)
    def symmetric(x: Array) -> Array:
        return tree(monic_product, [x[i : i + 1] for i in range(n)])

    return symmetric


def monic_product(p: Array, q: Array) -> Array:
    """(1 + p₁t + …)(1 + q₁t + …) without its 1: (m,), (n,) → (m + n,).

    The sum p_k + q_k, which needs no product, is made while the products are, so that k + 1 terms
    are as deep as k.
    """
    long, short = (p, q) if len(p) >= len(q) else (q, p)
    alone = filled(len(p) + len(q), 0)
    alone[: len(long)] = long
    alone[: len(short)] += short
    products: list[list[Any]] = [[] for _ in alone]
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            products[i + j + 1].append(a * b)
    return listed(total([one, *more]) for one, more in zip(alone, products, strict=True))


def power_sums(n: int, highest: int | None = None) -> Circuit:
    """x (n,) → (highest,): Σ x_i, Σ x_i², …, Σ x_i^highest; n of them if not said."""
    need(n=n)
    most = n if highest is None else highest
    need(highest=most)

    @circuit(x=n)
    def sums(x: Array) -> Array:
        return listed(total(row) for row in powers(x, most))

    return sums


CIRCUITS = (
    LibraryCircuit(
        name="elementary-symmetric",
        family="symmetric polynomials",
        description="All elementary symmetric polynomials, as coefficients of Π (1 + x t)",
        build=elementary_symmetric,
        n_is="variables",
        source="Divide and conquer over the factors 1 + x t",
        multiplicative_depth=Formula("lg(n)"),
        depth=Formula("≤ lg(n)*(lg(n) + 1)//2"),
        size=Formula("n*(n - 1)"),
        products=Formula("n*(n - 1)//2"),
        most=256,
    ),
    LibraryCircuit(
        name="power-sums",
        family="symmetric polynomials",
        description="The sums of the powers 1 to n of n variables",
        build=power_sums,
        n_is="variables, and the highest power",
        source="Definition of the power sums",
        multiplicative_depth=Formula("lg(n)"),
        depth=Formula("2*lg(n)"),
        size=Formula("2*n*(n - 1)"),
        products=Formula("n*(n - 1)"),
        most=256,
    ),
)
