import random

import numpy as np
import pytest
from scipy import stats

from bestiary.tasks.seeding import Words


def test_equal_keys_give_equal_words_whatever_was_drawn_before():
    first = Words(7, 1, 2).raw(100)
    np.random.default_rng(0).random(10)
    Words(7, 1, 3).raw(5)
    assert np.array_equal(Words(7, 1, 2).raw(100), first)


def test_words_come_in_one_sequence_however_they_are_asked_for():
    whole = Words(3, 0).raw(6, 4)
    parts = Words(3, 0)
    assert np.array_equal(whole[:2], parts.raw(2, 4))
    assert np.array_equal(whole[2:], parts.raw(4, 4))


@pytest.mark.parametrize("other", [(7, (1, 3)), (8, (1, 2)), (7, (1,)), (7, (1, 2, 0))])
def test_another_seed_or_key_gives_other_words(other):
    seed, key = other
    assert not np.isin(Words(seed, *key).raw(1000), Words(7, 1, 2).raw(1000)).any()


def test_global_random_states_are_left_alone():
    np.random.seed(5)
    random.seed(5)
    expected = np.random.random(), random.random()
    np.random.seed(5)
    random.seed(5)
    Words(1, 2).below(10, 100)
    assert (np.random.random(), random.random()) == expected


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 100, 8192, 2**31 - 1])
def test_numbers_below_a_bound_are_the_top_of_word_times_bound_in_exact_integers(bound):
    words = [int(word) for word in Words(11, 4).raw(500)]
    bits = bound.bit_length()
    expected = [(word >> bits) * bound // 2 ** (64 - bits) for word in words]
    drawn = Words(11, 4).below(bound, 500)
    assert drawn.tolist() == expected
    assert drawn.min() >= 0
    assert drawn.max() < bound


def test_numbers_below_a_bound_are_uniform():
    counts = np.bincount(Words(2, 9).below(13, 130_000), minlength=13)
    assert stats.chisquare(counts).pvalue > 1e-4


def test_unit_numbers_are_uniform_and_never_0_or_1():
    drawn = Words(2, 10).unit(50_000)
    assert 0 < drawn.min() < drawn.max() < 1
    assert stats.kstest(drawn, "uniform").pvalue > 1e-4
