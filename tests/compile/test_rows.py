from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.compile.rows import EVERYWHERE, NOWHERE, Rows, hull, moved, overlap
from bestiary.errors import UserError

LO, HI = -12, 12


@st.composite
def row_numbers(draw: st.DrawFn) -> Rows:
    values = draw(st.lists(st.integers(-3, 3), max_size=5))
    start, outside = draw(st.integers(-5, 5)), draw(st.integers(-2, 2))
    return Rows(start, np.array(values, dtype=float), np.array(float(outside)))


def table(rows: Rows) -> np.ndarray:
    """Row by row from the definition."""
    inside = {rows.start + i: v for i, v in enumerate(rows.values.tolist())}
    return np.array([inside.get(t, float(rows.outside)) for t in range(LO, HI)])


@given(row_numbers(), row_numbers(), st.integers(-3, 3))
@settings(max_examples=100)
def test_sums_products_and_shifts_are_those_of_every_row(a: Rows, b: Rows, by: int) -> None:
    assert np.array_equal((a + b).at(LO, HI), table(a) + table(b))
    assert np.array_equal((a * b).at(LO, HI), table(a) * table(b))
    assert np.array_equal((a * 2 + 1).at(LO, HI), table(a) * 2 + 1)
    assert np.array_equal(a.shifted(by).at(LO + by, HI + by), table(a))


@given(row_numbers())
@settings(max_examples=100)
def test_the_support_holds_every_row_that_is_not_zero(rows: Rows) -> None:
    lo, hi = rows.support
    for t, number in zip(range(LO, HI), table(rows), strict=True):
        assert number == 0 or lo <= t < hi
    if rows.outside == 0 and np.any(rows.values):
        assert rows.at(int(lo), int(lo) + 1)[0] != 0 and rows.at(int(hi) - 1, int(hi))[0] != 0


def test_a_window_is_one_inside_and_zero_outside() -> None:
    assert Rows.window(2, 4).at(0, 6).tolist() == [0, 0, 1, 1, 0, 0]
    assert Rows.window(2, 4, channels=2).column(1).at(1, 3).tolist() == [0, 1]


def test_numbers_that_are_not_finite_are_refused_with_their_place() -> None:
    with pytest.raises(UserError, match=r"a mask has nan at \(1,\); every entry must be finite"):
        Rows.of([1.0, math.nan], what="a mask")
    with pytest.raises(UserError, match="complex"):
        Rows.of([1j])
    with pytest.raises(UserError, match="ints and Fractions alone"):
        Rows.of(np.array([Fraction(1, 2), 0.5], dtype=object))


def test_intervals() -> None:
    assert hull((1, 3), (5, 7)) == (1, 7) and hull(NOWHERE, (2, 3)) == (2, 3)
    assert overlap((1, 6), (4, 9)) == (4, 6) and overlap((1, 2), (2, 3)) == NOWHERE
    assert overlap(EVERYWHERE, (4, 9)) == (4, 9)
    assert moved((1, 3), -1, 2) == (0, 5) and moved(NOWHERE, 0, 9) == NOWHERE


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (Rows.window(0, 4), "rows 0..3: 1"),
        (Rows.of([1.0, -0.0, 0.25], start=2), "rows 2..4: 1 0 0.25"),
        (Rows.of([[1, 2], [3, 4]]), "rows 0..1: [1 2] [3 4]"),
        (Rows.of([[5, 5], [6, 6]]), "rows 0..1: 5 6"),
        (Rows.of(np.arange(9.0)), "rows 0..8: 9 numbers"),
        (Rows.of([Fraction(1, 3)]), "rows 0..0: 1/3"),
        (Rows.same([1.0, 2.0]), "[1 2]"),
        (Rows.same(3.0), "3"),
        (Rows.window(1, 3) + 1.0, "rows 1..2: 2, elsewhere 1"),
    ],
)
def test_few_numbers_are_told_in_full_with_their_rows_inclusive(rows, said) -> None:
    assert rows.told() == said
    assert repr(rows) == f"Rows({said})"
