from __future__ import annotations

import numpy as np
import pytest
from exact_results import exact, few, made, vectors
from hypothesis import given
from hypothesis import strategies as st

from bestiary.circuits.library.polynomial_multiplication import convolution, karatsuba
from bestiary.errors import UserError


def product(a, b):
    return np.convolve(np.array(a, dtype=object), np.array(b, dtype=object)).tolist()


@few
@given(st.data(), st.integers(1, 17), st.integers(1, 6))
def test_products_of_polynomials_are_convolutions(data, n, threshold):
    a, b = data.draw(vectors(n)), data.draw(vectors(n))
    assert exact(made("polynomial-product", n)(a, b)) == product(a, b)
    assert exact(karatsuba(n, threshold)(a, b)) == product(a, b)


@few
@given(st.data(), st.integers(1, 17))
def test_convolutions_are_circular_causal_or_full(data, n):
    a, b = data.draw(vectors(n)), data.draw(vectors(n))
    full = product(a, b)
    folded = [x + y for x, y in zip(full[:n], [*full[n:], 0], strict=True)]
    assert exact(made("circular-convolution", n)(a, b)) == folded
    assert exact(made("causal-convolution", n)(a, b)) == full[:n]
    assert exact(convolution(n, mode="full")(a, b)) == full


def test_karatsuba_saves_products_at_powers_of_two():
    assert [made("karatsuba", n).products.sum() for n in (2, 4, 8, 16)] == [3, 9, 27, 81]


def test_a_mode_that_there_is_not_is_said():
    with pytest.raises(UserError, match="mode is 'same'; circular, causal, full are accepted"):
        convolution(4, mode="same")
