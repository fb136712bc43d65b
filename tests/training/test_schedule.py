"""The learning rate rises in a line and falls along half a cosine."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bestiary.training import TrainingConfig
from bestiary.training.schedule import learning_rate


def rates(steps, **fields):
    config = TrainingConfig(**fields)
    return np.array([learning_rate(step, steps, config) for step in range(steps)])


def test_the_rate_rises_linearly_from_zero_to_its_full_value():
    np.testing.assert_allclose(
        rates(100, learning_rate=0.5, warmup=0.1)[:10], 0.5 * np.arange(1, 11) / 10
    )


def test_after_warm_up_the_rate_follows_half_a_cosine_towards_zero():
    after = rates(100, learning_rate=0.5, warmup=0.1)[10:]
    assert after[0] == 0.5
    assert after[45] == pytest.approx(0.25)
    assert after[30] == pytest.approx(0.5 * (1 + math.cos(math.pi / 3)) / 2)
    assert (np.diff(after) < 0).all()
    assert 0 < after[-1] < 0.5 * 1e-3


def test_without_warm_up_the_first_update_has_the_full_rate():
    assert rates(10, learning_rate=0.5, warmup=0.0)[0] == 0.5


def test_a_training_of_one_update_has_a_rate():
    assert rates(1, learning_rate=0.5, warmup=0.9)[0] == 0.5
