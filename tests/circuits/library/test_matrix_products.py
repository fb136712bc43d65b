from __future__ import annotations

from functools import reduce

import numpy as np
import pytest
from exact_results import exact, few, made, matrices
from hypothesis import given
from hypothesis import strategies as st


def times(*factors):
    return reduce(np.matmul, [np.array(f, dtype=object) for f in factors]).tolist()


@few
@given(st.data(), st.integers(1, 7))
def test_two_matrices_are_multiplied_in_school_and_by_strassen(data, n):
    a, b = data.draw(matrices(n)), data.draw(matrices(n))
    assert exact(made("matrix-product", n)(a, b)) == times(a, b)
    assert exact(made("strassen", n)(a, b)) == times(a, b)


@few
@given(st.data(), st.integers(1, 9), st.integers(1, 3))
def test_many_matrices_are_multiplied_in_order(data, n, size):
    factors = [data.draw(matrices(size)) for _ in range(n)]
    assert exact(made("iterated-product", n, size=size)(factors)) == times(*factors)


@few
@given(st.data(), st.integers(1, 40), st.integers(1, 3))
def test_powers_of_a_matrix_are_repeated_products(data, n, size):
    a = data.draw(matrices(size))
    assert exact(made("matrix-power", n, size=size)(a)) == times(*[a] * n)


@pytest.mark.parametrize("n", [1, 2, 4, 8])
def test_strassen_takes_seven_products_of_halves(n):
    assert made("strassen", n).products.sum() == 7 ** (n.bit_length() - 1)
