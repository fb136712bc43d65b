from __future__ import annotations

import numpy as np
import pytest
from exact_results import exact

from bestiary.circuits import circuit
from bestiary.circuits.library.trees import inner, is_zero, listed, matmul, powers, total


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 9])
def test_sums_are_as_deep_as_the_terms_that_are_not_zero_make_them(n):
    made = circuit(lambda x: total([0, *x, 0, x[0] * 0]), x=n)
    assert made.depth == (n - 1).bit_length()
    assert made(list(range(n))) == n * (n - 1) // 2


def test_zeros_of_matrices_cost_nothing():
    @circuit(x=2, y=2)
    def product(x, y):
        return matmul(np.array([[x[0], 0], [0, x[1]]]), listed(y))

    assert product.size == product.products.sum() == 2
    assert exact(product([2, 3], [5, 7])) == [10, 21]


def test_products_of_matrices_and_vectors_have_numpy_s_shapes():
    a, b, x = np.arange(6).reshape(2, 3), np.arange(12).reshape(3, 4), np.arange(3)
    assert exact(matmul(a, b)) == (a @ b).tolist()
    assert exact(matmul(a, x)) == (a @ x).tolist()
    assert inner(a[1], x) == a[1] @ x


def test_powers_are_as_shallow_as_their_exponents_allow():
    for n in range(1, 20):
        made = circuit(lambda x, n=n: powers(x, n)[-1])
        assert made.multiplicative_depth == (n - 1).bit_length()
        assert made(3) == 3**n


@pytest.mark.parametrize(
    ("value", "zero"), [(0, True), (1, False), (0.0, False), (np.array([0]), False)]
)
def test_only_a_whole_zero_is_zero(value, zero):
    # A zero of floats makes floats of what it is added to, so that it is kept.
    assert is_zero(value) == zero
