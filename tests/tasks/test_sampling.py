from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bestiary.tasks import sampling
from bestiary.tasks.sampling import avoiding, by_power_law, distinct, uniform
from bestiary.tasks.seeding import Words


def counts_by_tuple(rows, choices):
    """How often each ordered tuple of distinct numbers occurs, in the order of permutations."""
    tuples, counts = np.unique(rows, axis=0, return_counts=True)
    found = {tuple(t): c for t, c in zip(tuples.tolist(), counts.tolist(), strict=True)}
    listed = [found.pop(t, 0) for t in permutations(range(choices), rows.shape[1])]
    assert not found
    return listed


def successive(weights, size):
    """Probability of each ordered tuple: every draw from the weights that are left."""
    listed = []
    for chosen in permutations(range(len(weights)), size):
        left, p = sum(weights), 1.0
        for i in chosen:
            p *= weights[i] / left
            left -= weights[i]
        listed.append(p)
    return np.array(listed)


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 40), st.integers(0, 300), st.integers(0, 2**32))
def test_draws_without_replacement_are_distinct_and_in_range(size, more, seed):
    choices = size + more
    drawn = distinct(Words(seed), choices, 64, size)
    assert drawn.shape == (64, size)
    assert drawn.min() >= 0
    assert drawn.max() < choices
    assert all(len(set(row)) == size for row in drawn.tolist())


# 4 · size is where sorting gives way to drawing again.
@pytest.mark.parametrize(("choices", "size"), [(5, 2), (8, 2), (9, 2), (4, 4), (13, 3)])
def test_every_ordered_tuple_is_equally_likely(choices, size):
    drawn = distinct(Words(5, choices), choices, 100_000, size)
    assert stats.chisquare(counts_by_tuple(drawn, choices)).pvalue > 1e-4


@pytest.mark.parametrize("power", [0.01, 0.5, 1.0, 3.0])
@pytest.mark.parametrize(("choices", "size"), [(5, 3), (7, 2), (3, 3)])
def test_gaps_are_successive_draws_by_the_power_law(power, choices, size):
    drawn = by_power_law(Words(1, choices), power, choices, 100_000, size)
    weights = [power * i ** (power - 1) for i in range(1, choices + 1)]
    expected = successive(weights, size) * len(drawn)
    assert stats.chisquare(counts_by_tuple(drawn, choices), expected).pvalue > 1e-4


@settings(max_examples=50, deadline=None)
@given(st.floats(1e-6, 1e6), st.integers(1, 40), st.integers(0, 100), st.integers(0, 2**32))
def test_gaps_are_distinct_and_in_range_for_any_power(power, size, more, seed):
    drawn = by_power_law(Words(seed), power, size + more, 16, size)
    assert all(len(set(row)) == size for row in drawn.tolist())
    assert drawn.min() >= 0
    assert drawn.max() < size + more


def test_filler_is_uniform_over_what_is_not_avoided():
    avoided = np.tile([[3, 0, 7]], (2000, 1))
    drawn = avoiding(Words(3), 10, avoided, 50)
    counts = np.bincount(drawn.ravel(), minlength=10)
    assert counts[[3, 0, 7]].sum() == 0
    assert stats.chisquare(counts[[1, 2, 4, 5, 6, 8, 9]]).pvalue > 1e-4


def test_each_row_avoids_its_own_numbers_only():
    avoided = np.arange(400)[:, None] % 4
    drawn = avoiding(Words(4), 4, avoided, 60)
    assert all(set(row) == set(range(4)) - {a} for a, row in zip(avoided[:, 0], drawn, strict=True))


def test_how_much_is_held_at_a_time_changes_no_number(monkeypatch):
    def draw():
        return [
            by_power_law(Words(1), 0.01, 30, 50, 4).tolist(),
            uniform(Words(2), 300, 50, 30).tolist(),
            avoiding(Words(3), 12, np.tile([[1, 5, 7]], (50, 1)), 30).tolist(),
        ]

    whole = draw()
    monkeypatch.setattr(sampling, "CHUNK", 100)
    assert draw() == whole
