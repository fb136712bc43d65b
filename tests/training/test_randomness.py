"""Generators are seeded inside, put back outside, and their states go through tensors whole."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

from bestiary.training.randomness import (
    generator_states,
    isolated_randomness,
    restore_generator_states,
)

CPU = torch.device("cpu")


def draws(count: int) -> list[float]:
    """Gaussians, of which each generator makes two at a time and holds one back."""
    made = []
    for _ in range(count):
        made += [random.gauss(0, 1), float(np.random.standard_normal())]
        made += [float(torch.randn(())), random.random(), float(np.random.rand())]
    return made


@pytest.mark.parametrize("drawn", [0, 1, 2, 7])
def test_a_restored_state_draws_the_same_numbers_wherever_it_was_taken(drawn):
    draws(drawn)
    states = generator_states(CPU)
    expected = draws(5)
    draws(3)
    restore_generator_states(states, CPU)
    assert draws(5) == expected


def test_inside_numbers_follow_the_seed_and_outside_nothing_has_happened():
    start = generator_states(CPU)
    expected = draws(3)
    restore_generator_states(start, CPU)

    def inside(seed):
        with isolated_randomness(seed, CPU):
            return draws(3)

    assert inside(1) == inside(1)
    assert inside(1) != inside(2)
    assert draws(3) == expected


def test_generators_are_put_back_after_an_error():
    start = generator_states(CPU)
    with pytest.raises(RuntimeError), isolated_randomness(0, CPU):
        draws(1)
        raise RuntimeError
    after = generator_states(CPU)
    assert all(torch.equal(after[name], start[name]) for name in start)
