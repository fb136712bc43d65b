"""Expressions of sympy as circuits: what sympy computes, exactly; no polynomial is refused."""

from __future__ import annotations

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.circuits import evaluate, from_sympy
from bestiary.compile import compile_circuit, interpret
from bestiary.errors import UserError

x, y, z = sympy.symbols("x y z")

NUMBERS = st.integers(-3, 3) | st.fractions(-2, 2, max_denominator=5)


def of_sympy(number):
    return sympy.Rational(number.numerator, number.denominator)


def expressions():
    leaves = st.sampled_from([x, y, z]) | NUMBERS.map(of_sympy)
    return st.recursive(
        leaves,
        lambda inner: (
            st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1])
            | st.tuples(inner, inner).map(lambda pair: pair[0] - pair[1])
            | st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1])
            | st.tuples(inner, st.integers(0, 3)).map(lambda pair: pair[0] ** pair[1])
        ),
        max_leaves=12,
    )


@settings(deadline=None)
@given(expressions(), st.lists(NUMBERS, min_size=3, max_size=3))
def test_a_polynomial_gives_what_sympy_substitutes(expression, values):
    made = from_sympy(expression, [x, y, z])
    expected = expression.subs(dict(zip([x, y, z], map(of_sympy, values), strict=True)))
    assert evaluate(made, values) == [Fraction(int(expected.p), int(expected.q))]


def test_a_matrix_keeps_its_shape_and_its_entries():
    made = from_sympy(sympy.Matrix([[x * y, 1], [x - y, sympy.Rational(1, 3)], [0, y**2]]))
    assert made(5, 2).tolist() == [[10, 1], [3, Fraction(1, 3)], [0, 4]]


def test_matrix_symbols_are_inputs_of_their_shape():
    a, b = sympy.MatrixSymbol("A", 2, 3), sympy.MatrixSymbol("B", 3, 2)
    made = from_sympy(a * b + 2 * sympy.Identity(2))
    assert [port.shape for port in made.inputs] == [(2, 3), (3, 2)]
    found = made([[1, 2, 3], [4, 5, 6]], [[1, 0], [0, 1], [2, 2]])
    assert found.tolist() == [[9, 8], [16, 19]]
    square = sympy.MatrixSymbol("S", 3, 3)
    determinant = from_sympy(sympy.Determinant(square) + sympy.Trace(square))
    assert determinant([[2, 1, 0], [1, 3, 1], [0, 1, 4]]) == 18 + 9


@pytest.mark.parametrize("n", range(1, 6))
def test_determinants_and_permanents_of_symbols(n):
    square = sympy.MatrixSymbol("S", n, n)
    rows = [[(3 * i + 5 * j + i * j * j) % 7 - 3 for j in range(n)] for i in range(n)]
    made = from_sympy(sympy.Determinant(square))
    assert made(rows) == sympy.Matrix(rows).det()
    # Minors are shared: of n rows, n·2ⁿ⁻¹ products, and those of one row are entries.
    assert made.products.sum() == n * 2 ** (n - 1) - n
    assert from_sympy(sympy.Permanent(square))(rows) == sympy.Matrix(rows).per()


def test_powers_and_products_of_matrices_are_not_multiplied_out():
    square = sympy.MatrixSymbol("S", 2, 2)
    fibonacci = from_sympy(square**64)
    assert fibonacci([[1, 1], [1, 0]]).tolist() == [
        [sympy.fibonacci(65), sympy.fibonacci(64)],
        [sympy.fibonacci(64), sympy.fibonacci(63)],
    ]
    assert fibonacci.multiplicative_depth == 6
    other = sympy.MatrixSymbol("T", 2, 2)
    mixed = (square + 2 * other) ** 3 * square.T - sympy.Identity(2) + square**0
    a, b = np.array([[1, 2], [3, 5]]), np.array([[2, 0], [-1, 1]])
    expected = np.linalg.matrix_power(a + 2 * b, 3) @ a.T
    assert from_sympy(mixed)(a.tolist(), b.tolist()).tolist() == expected.tolist()
    traced = sympy.Trace(square**3) * sympy.Determinant(square * other)
    expected = np.trace(np.linalg.matrix_power(a, 3)) * round(np.linalg.det(a @ b))
    assert from_sympy(traced)(a.tolist(), b.tolist()) == expected


def test_binomials_and_factorial_powers_are_polynomials():
    assert from_sympy(sympy.binomial(x, 3))(7) == 35
    assert from_sympy(sympy.ff(x, 3))(5) == 60


def test_inputs_are_the_symbols_by_name_or_in_the_order_given():
    assert from_sympy(y - x)(10, 1) == -9
    assert from_sympy(y - x, [y, z, x])(10, 0, 1) == 9
    assert from_sympy(y**3, y)(2) == 8


def test_equal_subexpressions_are_one_gate_and_a_difference_is_one_too():
    assert from_sympy((x + y) ** 2 + z * (x + y)).size == 4
    assert from_sympy(x - y).size == 1
    # The number does not make the tree of three factors deeper.
    assert from_sympy(5 * x * y * z).multiplicative_depth == 2


def test_numbers_are_exact_where_sympy_has_them_so():
    assert from_sympy(sympy.Rational(1, 3) * x)(1) == Fraction(1, 3)
    assert from_sympy(sympy.sqrt(2) * sympy.pi * x)(1) == pytest.approx(math.sqrt(2) * math.pi)
    assert from_sympy((sympy.sin(1) + 1) ** sympy.Rational(1, 2) + x)(0) == pytest.approx(
        math.sqrt(math.sin(1) + 1)
    )
    assert from_sympy((1 + 2 * sympy.I) * x)(1) == 1 + 2j
    assert from_sympy(x**2.0)(3) == 9


def test_sums_over_ranges_and_derivatives_are_carried_out():
    k = sympy.Symbol("k")
    assert from_sympy(sympy.Sum(x**k * k, (k, 0, 3)))(2) == 2 + 8 + 24
    assert from_sympy(sympy.Derivative(x**3 * y, x), [x, y])(2, 5) == 60


def test_polynomials_and_deep_horner_forms_are_taken():
    assert from_sympy(sympy.Poly(x**2 - 1, x))(3) == 8
    deep = x
    for _ in range(2000):
        deep = sympy.Add(sympy.Mul(deep, y, evaluate=False), 1, evaluate=False)
    made = from_sympy(deep)
    assert made.multiplicative_depth == 2000
    assert evaluate(made, [1, 1]) == [2001]


def test_a_compiled_expression_computes_it():
    made = from_sympy(sympy.Matrix([x * y - z, x**3]))
    program = compile_circuit(made).placed
    assert interpret(program, [[[2, 3, 5]]], exactly=True).ravel().tolist() == [1, 8]


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (1 / x, r"1/x divides by x, which depends on the inputs; .* give the inverse as an input"),
        (y / (x + 1), r"1/\(x \+ 1\) divides by x \+ 1"),
        (sympy.sin(x) * y, r"sin\(x\) is no polynomial of the inputs; .* use a polynomial"),
        (abs(x), r"Abs\(x\) is no polynomial"),
        (sympy.Max(x, y), r"Max\(x, y\) is no polynomial"),
        (x < y, r"x < y compares or decides; .* select\(bit, a, b\)"),
        (sympy.Eq(x, y), r"Eq\(x, y\) compares or decides"),
        (x & y, r"x & y compares or decides"),
        (sympy.sqrt(x), r"in sqrt\(x\) the exponent Fraction\(1, 2\) makes no polynomial"),
        (x ** sympy.Rational(3, 2), r"in x\*\*\(3/2\) the exponent"),
        (x**y, r"x\*\*y has an exponent that depends on the inputs"),
        (2**x, r"2\*\*x has an exponent that depends on the inputs"),
        (x ** (10**9), r"a power of degree 1000000000 was asked for; degrees up to 65536"),
        (x + sympy.oo * y, r"oo is inf; a finite number is needed"),
        (sympy.nan, r"nan is .*; a finite number"),
        (sympy.zoo * x, r"zoo"),
        (sympy.Matrix([[x, 1 / x]]), r"1/x divides by x"),
        (sympy.MatrixSymbol("A", x, 2), r"no fixed shape"),
        (sympy.Trace(sympy.MatrixSymbol("A", x, x)), r"A is \(x, x\); a matrix needs whole"),
        (sympy.Determinant(sympy.MatrixSymbol("A", 11, 11)), r"of 11 rows .* up to 10 are taken"),
        (sympy.Tuple(x, y), r"\(x, y\) is a Tuple; an expression, a matrix or an array"),
        (sympy.Poly(x**2 + x, x, modulus=2), r"is a polynomial modulo 2; .* give its as_expr\(\)"),
        (sympy.Symbol("a", commutative=False) * x, r"do not commute"),
        ("x + 1", r"'x \+ 1' is a str; an expression, a matrix or an array of sympy is needed"),
        (x + sympy.Symbol("x", positive=True), r"two inputs are called x"),
        (sympy.IndexedBase("a")[0] + x, r"is given as an input; a Symbol or a MatrixSymbol"),
    ],
)
def test_what_is_no_polynomial_is_refused_in_one_sentence(expression, words):
    with pytest.raises(UserError, match=words) as found:
        from_sympy(expression)
    assert "\n" not in str(found.value)


def test_a_symbol_that_was_not_given_is_named():
    with pytest.raises(UserError, match="the expression has y, which is none of the symbols"):
        from_sympy(x + y, [x])
    with pytest.raises(UserError, match="'x' is given as an input"):
        from_sympy(x, ["x"])
    with pytest.raises(UserError, match="5 is given as the symbols; a list of them is needed"):
        from_sympy(x, 5)


def test_without_sympy_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(UserError, match=r"need the sympy extra: pip install 'bestiary\[sympy\]'$"):
        from_sympy(x)
