"""Discrete Fourier transforms as linear circuits, over the complex numbers and modulo a prime."""

from __future__ import annotations

import cmath
from collections.abc import Sequence
from fractions import Fraction
from itertools import count
from math import isqrt

from bestiary.circuits.circuit import Circuit
from bestiary.circuits.library.entry import LibraryCircuit
from bestiary.circuits.library.formula import Formula
from bestiary.circuits.library.sizes import need
from bestiary.circuits.library.trees import Array, filled, inner
from bestiary.circuits.number import Number
from bestiary.circuits.tracing import circuit
from bestiary.errors import UserError


def fft(n: int, inverse: bool = False) -> Circuit:
    """x (n,) → (n,): Σ_j x_j exp(−2πi jk/n), by Cooley and Tukey for any n.

    Prime factors of n other than 2 are summed as they stand, so that a prime n takes n² products
    with constants. inverse: exp(+2πi jk/n) and division by n. J. W. Cooley and J. W. Tukey,
    Mathematics of Computation 19 (1965).
    """
    need(n=n)
    roots = [_root(-k if not inverse else k, n) for k in range(n)]

    @circuit(x=n)
    def transform(x: Array) -> Array:
        found = _transformed(x, roots)
        return found * Fraction(1, n) if inverse else found

    return transform


def number_theoretic_transform(n: int, modulus: int | None = None) -> Circuit:
    """x (n,) → (n,): Σ_j x_j w^(jk), to be evaluated modulo a prime where w has the order n.

    modulus: a prime p with n dividing p − 1; ``transform_modulus(n)`` if not said. Give the same
    to ``evaluate(…, modulus=p)``. J. M. Pollard, Mathematics of Computation 25 (1971).
    """
    need(n=n)
    prime = transform_modulus(n) if modulus is None else modulus
    need(modulus=prime, at_least=2)
    if not _is_prime(prime) or (prime - 1) % n:
        raise UserError(
            f"the modulus is {prime}; a prime p with {n} dividing p - 1 is needed, such as "
            f"{transform_modulus(n)}"
        )
    root = _element_of_order(n, prime)
    roots: list[Number] = [pow(root, k, prime) for k in range(n)]

    @circuit(x=n)
    def transform(x: Array) -> Array:
        return _transformed(x, roots)

    return transform


def transform_modulus(n: int) -> int:
    """The smallest prime p with n dividing p − 1."""
    return next(p for p in count(n + 1, n) if _is_prime(p))


def _transformed(x: Array, roots: Sequence[Number]) -> Array:
    """Σ_j x_j roots[jk], where roots are the powers of one of the order of their number."""
    n = len(x)
    if n == 1:
        return x
    radix = next(p for p in range(2, n + 1) if n % p == 0)
    parts = [_transformed(x[r::radix], roots[::radix]) for r in range(radix)]
    found, m = filled(n, 0), n // radix
    for k in range(m):
        if radix == 2:
            turned = roots[k] * parts[1][k]
            found[k], found[k + m] = parts[0][k] + turned, parts[0][k] - turned
            continue
        for place in range(k, n, m):
            factors = [roots[r * place % n] for r in range(radix)]
            found[place] = inner(factors, [part[k] for part in parts])
    return found


def _root(k: int, n: int) -> Number:
    """exp(2πi k/n), exactly where it is 1, i, −1 or −i."""
    quarters, rest = divmod(4 * k, n)
    if rest == 0:
        quarter: tuple[Number, ...] = (1, 1j, -1, -1j)
        return quarter[quarters % 4]
    return cmath.exp(2j * cmath.pi * k / n)


def _element_of_order(n: int, prime: int) -> int:
    if n == 1:
        return 1
    factors = [q for q in range(2, n + 1) if n % q == 0 and _is_prime(q)]
    powers = (pow(g, (prime - 1) // n, prime) for g in range(2, prime))
    return next(w for w in powers if all(pow(w, n // q, prime) != 1 for q in factors))


def _is_prime(n: int) -> bool:
    return n > 1 and all(n % q for q in range(2, isqrt(n) + 1))


CIRCUITS = (
    LibraryCircuit(
        name="fft",
        family="transforms",
        description="The discrete Fourier transform over the complex numbers",
        build=fft,
        n_is="points",
        source="J. W. Cooley and J. W. Tukey, Mathematics of Computation 19 (1965)",
        multiplicative_depth=Formula("0"),
        depth=Formula("≤ max(0, 2*lg(n) - 1)"),
    ),
    LibraryCircuit(
        name="ntt",
        family="transforms",
        description="The discrete Fourier transform modulo a prime, exact",
        build=number_theoretic_transform,
        n_is="points",
        source="J. M. Pollard, Mathematics of Computation 25 (1971)",
        multiplicative_depth=Formula("0"),
        depth=Formula("≤ max(0, 2*lg(n) - 1)"),
    ),
)
