"""Which costs no other beats."""

from __future__ import annotations

from bestiary.compile.pareto import unbeaten


def test_what_is_lower_somewhere_and_higher_nowhere_beats():
    costs = [(1, 5), (2, 5), (3, 3), (4, 3), (3, 4), (0, 9)]
    assert unbeaten(costs) == [True, False, True, False, False, True]


def test_equal_costs_do_not_beat_each_other():
    assert unbeaten([(2, 2), (2, 2)]) == [True, True]
    assert unbeaten([]) == []
