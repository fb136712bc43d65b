from __future__ import annotations

import pytest

from bestiary.circuits.library.formula import Formula, carry_saves, lg


@pytest.mark.parametrize(
    ("n", "levels"), [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (1024, 10), (1025, 11)]
)
def test_lg_is_the_logarithm_rounded_up(n, levels):
    assert lg(n) == levels


@pytest.mark.parametrize(
    ("n", "rounds"), [(1, 0), (2, 0), (3, 1), (4, 2), (5, 3), (6, 3), (8, 4), (9, 4), (10, 5)]
)
def test_rounds_of_carry_saving_are_those_of_wallace(n, rounds):
    # 10 rows become 7, 5, 4, 3, 2.
    assert carry_saves(n) == rounds


def test_a_formula_counts_what_its_text_says():
    formula = Formula("2*lg(n) + min(bits, 3)")
    assert formula(n=5, bits=8, other="ignored") == 9
    assert str(formula) == "2*lg(n) + min(bits, 3)"
    assert formula.holds(9, n=5, bits=8)
    assert not formula.holds(8, n=5, bits=8)


def test_a_bound_holds_for_less_and_not_for_more():
    bound = Formula("≤ n - 1")
    assert bound.at_most
    assert [bound.holds(count, n=4) for count in (2, 3, 4)] == [True, True, False]
