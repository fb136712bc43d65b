from __future__ import annotations

from itertools import combinations
from math import prod

from exact_results import exact, few, made, vectors
from hypothesis import given
from hypothesis import strategies as st


@few
@given(st.data(), st.integers(1, 9))
def test_elementary_symmetric_polynomials_sum_products_of_all_choices(data, n):
    x = data.draw(vectors(n))
    expected = [sum(map(prod, combinations(x, k))) for k in range(1, n + 1)]
    assert exact(made("elementary-symmetric", n)(x)) == expected


@few
@given(st.data(), st.integers(1, 9), st.integers(1, 12))
def test_power_sums_sum_powers(data, n, highest):
    x = data.draw(vectors(n))
    expected = [sum(v**k for v in x) for k in range(1, highest + 1)]
    assert exact(made("power-sums", n, highest=highest)(x)) == expected
    assert exact(made("power-sums", n)(x)) == [sum(v**k for v in x) for k in range(1, n + 1)]
