from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.compile import taps as module
from bestiary.compile.taps import Taps, shift_by
from bestiary.errors import UserError


@st.composite
def filters(draw: st.DrawFn) -> Taps:
    return Taps.at(draw(st.dictionaries(st.integers(-4, 4), st.integers(-3, 3), min_size=1)))


def polynomial(taps: Taps) -> dict[int, float]:
    return {p: v for p, v in zip(taps.powers.tolist(), taps.values.tolist(), strict=True) if v}


@given(filters(), filters())
@settings(max_examples=100)
def test_filters_add_and_multiply_as_polynomials(a: Taps, b: Taps) -> None:
    total: dict[int, float] = dict(polynomial(a))
    for power, value in polynomial(b).items():
        total[power] = total.get(power, 0) + value
    product: dict[int, float] = {}
    for p, v in polynomial(a).items():
        for q, w in polynomial(b).items():
            product[p + q] = product.get(p + q, 0) + v * w
    assert polynomial(a + b) == {p: v for p, v in total.items() if v}
    assert polynomial(a * b) == {p: v for p, v in product.items() if v}


def test_long_filters_multiply_as_short_ones_do(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    a = Taps.of(rng.normal(size=(40, 3)), start=-7)
    b = Taps.at({-2: rng.normal(size=3), 5: rng.normal(size=3)})
    monkeypatch.setattr(module, "DIRECT_PRODUCTS", 0)
    quick = a * b
    expected = np.zeros((47, 3))
    for channel in range(3):
        dense = np.zeros(8)
        dense[0], dense[7] = b.values[0, channel], b.values[1, channel]
        expected[:, channel] = np.convolve(a.values[:, channel], dense)
    assert quick.low == -9
    assert np.allclose(quick.values, expected, rtol=0, atol=1e-13)


def test_a_ring_wraps_powers_and_adds_those_that_meet() -> None:
    assert polynomial(Taps.at({-1: 1, 3: 2, 4: 5}).wrapped(4)) == {0: 5, 3: 3}


def test_filters_of_one_and_of_many_channels_meet() -> None:
    both = shift_by(2) * Taps.at({0: [1, 2], 1: [0, 3]}) + shift_by(0)
    assert polynomial(both.column(0)) == {0: 1, 2: 1}
    assert polynomial(both.column(1)) == {0: 1, 2: 2, 3: 3}


def test_shifts_and_identities_are_known() -> None:
    assert shift_by(3).monomial and not shift_by(3).identity and shift_by(0).identity
    assert not Taps.at({0: 2}).identity


def test_filters_without_taps_are_refused() -> None:
    with pytest.raises(UserError, match="has no taps"):
        Taps.at({})
    with pytest.raises(UserError, match=r"shape \(0,\)"):
        Taps.of([])
