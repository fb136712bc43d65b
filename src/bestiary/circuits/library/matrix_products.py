"""Products and powers of matrices: in school, by Strassen, as trees and by squaring."""

from __future__ import annotations

import numpy as np

from bestiary.circuits.circuit import Circuit
from bestiary.circuits.library.entry import LibraryCircuit
from bestiary.circuits.library.formula import Formula
from bestiary.circuits.library.sizes import need
from bestiary.circuits.library.trees import Array, filled, matmul
from bestiary.circuits.scans import tree
from bestiary.circuits.tracing import circuit


def matrix_product(n: int) -> Circuit:
    """A, B (n, n) → AB (n, n): n³ products, one product deep."""
    need(n=n)

    @circuit(a=(n, n), b=(n, n))
    def product(a: Array, b: Array) -> Array:
        return matmul(a, b)

    return product


def strassen(n: int) -> Circuit:
    """A, B (n, n) → AB (n, n) by seven products of quarters in place of eight, n^2.81 in all.

    Odd sizes are padded by a row and a column of zeros. V. Strassen, Numerische Mathematik 13
    (1969).
    """
    need(n=n)

    @circuit(a=(n, n), b=(n, n))
    def product(a: Array, b: Array) -> Array:
        return _by_seven(a, b)

    return product


def iterated_product(n: int, size: int = 2) -> Circuit:
    """A (n, size, size) → A₁A₂⋯A_n (size, size), as a balanced tree."""
    need(n=n, size=size)

    @circuit(a=(n, size, size))
    def product(a: Array) -> Array:
        return tree(matmul, list(a))

    return product


def matrix_power(n: int, size: int = 3) -> Circuit:
    """A (size, size) → Aⁿ (size, size), by squaring; the deepest square is multiplied last."""
    need(n=n, size=size)

    @circuit(a=(size, size))
    def power(a: Array) -> Array:
        return raised(a, n)

    return power


def raised(matrix: Array, exponent: int) -> Array:
    """matrix^exponent, ⌈log2 exponent⌉ products deep; exponent from 1 on."""
    square, factors = matrix, []
    while exponent > 1:
        if exponent & 1:
            factors.append(square)
        square = matmul(square, square)
        exponent >>= 1
    # Shallow ones first, so that they are together no deeper than the square they meet.
    factors.append(square)
    done = factors[0]
    for factor in factors[1:]:
        done = matmul(done, factor)
    return done


def _by_seven(a: Array, b: Array) -> Array:
    n = len(a)
    if n == 1:
        return a * b
    half = (n + 1) // 2
    (a11, a12), (a21, a22) = _quarters(a, half)
    (b11, b12), (b21, b22) = _quarters(b, half)
    m1 = _by_seven(a11 + a22, b11 + b22)
    m2 = _by_seven(a21 + a22, b11)
    m3 = _by_seven(a11, b12 - b22)
    m4 = _by_seven(a22, b21 - b11)
    m5 = _by_seven(a11 + a12, b22)
    m6 = _by_seven(a21 - a11, b11 + b12)
    m7 = _by_seven(a12 - a22, b21 + b22)
    product = np.block([[(m1 + m4) + (m7 - m5), m3 + m5], [m2 + m4, (m1 - m2) + (m3 + m6)]])
    return product[:n, :n]


def _quarters(matrix: Array, half: int) -> list[list[Array]]:
    padded = filled((2 * half, 2 * half), 0)
    padded[: len(matrix), : len(matrix)] = matrix
    top, bottom = padded[:half], padded[half:]
    return [[top[:, :half], top[:, half:]], [bottom[:, :half], bottom[:, half:]]]


CIRCUITS = (
    LibraryCircuit(
        name="matrix-product",
        family="matrices",
        description="The product of two matrices, in school",
        build=matrix_product,
        n_is="rows and columns",
        source="Definition of the product",
        multiplicative_depth=Formula("1"),
        depth=Formula("1 + lg(n)"),
        size=Formula("n*n*(2*n - 1)"),
        products=Formula("n**3"),
        sizes=(1, 2, 3, 4, 5, 8),
        most=32,
    ),
    LibraryCircuit(
        name="strassen",
        family="matrices",
        description="The product of two matrices by seven products of quarters",
        build=strassen,
        n_is="rows and columns",
        source="V. Strassen, Numerische Mathematik 13 (1969)",
        multiplicative_depth=Formula("1"),
        depth=Formula("1 + 3*lg(n)"),
        products=Formula("≤ 7**lg(n)"),
        sizes=(1, 2, 3, 4, 5, 8),
        most=32,
    ),
    LibraryCircuit(
        name="iterated-product",
        family="matrices",
        description="The product of n matrices of two rows, as a tree",
        build=iterated_product,
        n_is="matrices",
        source="Associativity",
        multiplicative_depth=Formula("lg(n)"),
        depth=Formula("lg(n)*(1 + lg(size))"),
        size=Formula("(n - 1)*size**2*(2*size - 1)"),
        products=Formula("(n - 1)*size**3"),
    ),
    LibraryCircuit(
        name="matrix-power",
        family="matrices",
        description="The n-th power of a matrix of three rows, by squaring",
        build=matrix_power,
        n_is="the exponent",
        source="D. E. Knuth, The Art of Computer Programming 2, section 4.6.3",
        multiplicative_depth=Formula("lg(n)"),
        depth=Formula("lg(n)*(1 + lg(size))"),
        products=Formula("≤ (n.bit_length() + n.bit_count() - 2)*size**3"),
    ),
)
