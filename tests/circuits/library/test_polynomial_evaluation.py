from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from exact_results import exact, few, made, vectors, whole
from hypothesis import given
from hypothesis import strategies as st

from bestiary.circuits.library.polynomial_evaluation import estrin, horner, paterson_stockmeyer
from bestiary.errors import UserError


def value(coefficients, x):
    return sum(c * x**i for i, c in enumerate(coefficients))


@few
@given(st.data(), st.integers(1, 20), whole, st.sampled_from(["horner", "estrin"]))
def test_polynomials_with_coefficients_given_are_evaluated(data, n, x, name):
    c = data.draw(vectors(n + 1))
    assert exact(made(name, n)(c, x)) == value(c, x)


@few
@given(st.data(), st.integers(1, 40), whole)
def test_all_ways_agree_on_constant_coefficients(data, n, x):
    c = data.draw(vectors(n + 1))
    for way in (horner, estrin, paterson_stockmeyer):
        assert exact(way(n, c)(x)) == value(c, x)


def test_coefficients_may_be_fractions_floats_and_numbers_of_numpy():
    half = Fraction(1, 2)
    assert paterson_stockmeyer(2, [half, 1, half])(3) == Fraction(8)
    assert horner(2, np.array([0.5, 1.0, 0.5]))(3) == 8.0


def test_without_coefficients_paterson_and_stockmeyer_count_from_one():
    assert made("paterson-stockmeyer", 3)(10) == 4321


@pytest.mark.parametrize("way", [horner, estrin, paterson_stockmeyer])
def test_a_wrong_number_of_coefficients_is_said(way):
    with pytest.raises(UserError, match="3 coefficients were given for degree 3; 4 are needed"):
        way(3, [1, 2, 3])
