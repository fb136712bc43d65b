from __future__ import annotations

from itertools import combinations, permutations
from math import prod

import numpy as np
import pytest
from exact_results import exact, few, made, matrices
from hypothesis import given
from hypothesis import strategies as st

from bestiary.circuits.library.determinants import permanent
from bestiary.errors import UserError

WAYS = ["", "-walks"]


def sign(order):
    return (-1) ** sum(a > b for a, b in combinations(order, 2))


def determinant(a):
    """By its definition, over all permutations."""
    orders = permutations(range(len(a)))
    return sum(sign(order) * prod(a[i][j] for i, j in enumerate(order)) for order in orders)


def principal_minors(a, k):
    rows = combinations(range(len(a)), k)
    return sum(determinant([[a[i][j] for j in chosen] for i in chosen]) for chosen in rows)


@few
@given(st.data(), st.integers(1, 5), st.sampled_from(WAYS))
def test_determinants_are_signed_sums_over_permutations(data, n, way):
    a = data.draw(matrices(n))
    assert exact(made(f"determinant{way}", n)(a)) == determinant(a)


@few
@given(st.data(), st.integers(1, 5), st.sampled_from(WAYS))
def test_characteristic_coefficients_are_signed_sums_of_principal_minors(data, n, way):
    a = data.draw(matrices(n))
    expected = [(-1) ** k * principal_minors(a, k) for k in range(n + 1)]
    assert exact(made(f"characteristic-polynomial{way}", n)(a)) == expected


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n", [6, 7, 8, 9])
def test_larger_determinants_and_polynomials_agree_with_numpy(n, way):
    a = np.random.default_rng(n).integers(-3, 4, (n, n))
    if n < 9 or not way:
        assert exact(made(f"determinant{way}", n)(a)) == round(np.linalg.det(a))
    if n < 8:
        found = exact(made(f"characteristic-polynomial{way}", n)(a))
        assert found == np.round(np.poly(a)).astype(int).tolist()


@few
@given(st.data(), st.integers(1, 5))
def test_permanents_are_sums_over_permutations(data, n):
    a = data.draw(matrices(n))
    orders = permutations(range(n))
    expected = sum(prod(a[i][j] for i, j in enumerate(order)) for order in orders)
    assert exact(made("permanent", n)(a)) == expected


def test_a_permanent_too_large_to_write_down_is_refused():
    with pytest.raises(UserError, match=r"n is 13; the permanent takes 2\*\*n products"):
        permanent(13)
