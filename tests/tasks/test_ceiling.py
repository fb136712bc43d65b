import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.errors import UserError
from bestiary.tasks.ceiling import bits_needed, recall_ceiling


@pytest.mark.parametrize(
    ("state", "pairs", "values", "accuracy"),
    [
        (0, 4, 8, 1 / 8),  # no state: guessing
        (12, 4, 8, 1.0),  # 4 · log2 8 bits hold every answer
        (100, 4, 8, 1.0),
        (0, 1, 1, 1.0),  # one possible value is no question
        # M = 2, a = 3/4: 1 − H(1/4) = 1 − (1/4 · 2 + 3/4 · log2(4/3)) bits a pair.
        (10 * (1 - (0.5 + 0.75 * math.log2(4 / 3))), 10, 2, 0.75),
        # M = 4, a = 1/2: 2 − 1 − 1/2 · log2 3 bits a pair.
        (3 * (1 - 0.5 * math.log2(3)), 3, 4, 0.5),
    ],
)
def test_ceiling_by_hand(state, pairs, values, accuracy):
    assert recall_ceiling(state, pairs, values) == pytest.approx(accuracy, abs=1e-12)


def test_a_table_of_whole_answers_stays_below_the_ceiling():
    # Storing 10 of 64 values of 12 bits and guessing the rest is one way to use 120 bits.
    achieved = (10 + 54 / 4096) / 64
    assert recall_ceiling(120, 64, 4096) > achieved


@settings(max_examples=100, deadline=None)
@given(st.floats(0, 1), st.integers(1, 512), st.integers(2, 65536))
def test_the_ceiling_needs_just_the_bits_it_was_given(fraction, pairs, values):
    state = fraction * pairs * math.log2(values)
    accuracy = recall_ceiling(state, pairs, values)
    assert 1 / values <= accuracy <= 1
    assert bits_needed(accuracy, pairs, values) == pytest.approx(state, abs=1e-6 * pairs)


def test_more_state_never_lowers_the_ceiling_and_more_pairs_never_raise_it():
    grid = recall_ceiling(np.linspace(0, 2000, 101)[:, None], np.array([4, 16, 64, 256]), 4096)
    assert grid.shape == (101, 4)
    assert (np.diff(grid, axis=0) >= 0).all()
    assert (np.diff(grid, axis=1) <= 0).all()


@pytest.mark.parametrize("given", [(-1, 4, 8), (1, 0, 8), (1, 4, 0), (float("nan"), 4, 8)])
def test_impossible_arguments_are_named(given):
    with pytest.raises(UserError, match="must be at least"):
        recall_ceiling(*given)
