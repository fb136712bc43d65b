"""Learning linear maps from examples."""

from __future__ import annotations

import pytest
import torch

from bestiary.errors import UserError
from bestiary.structured import ButterflyLinear
from bestiary.structured.learn import learn, learn_dft, recover_permutation, rmse_of
from bestiary.structured.transforms import permutation


@pytest.mark.parametrize("init", ["orthogonal", "random"])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_butterfly_learns_the_dft_from_examples(init, seed):
    learned = learn_dft(16, seed, init=init)
    assert learned.rmse < 1e-4
    assert learned.evaluations < 1000


def test_the_same_seed_learns_the_same():
    assert learn_dft(8, 3, evaluations=20) == learn_dft(8, 3, evaluations=20)


def test_adam_learns_it_too_with_more_evaluations():
    learned = learn_dft(8, 0, method="adam")
    assert learned.rmse < 1e-4
    assert learned.evaluations > 2 * learn_dft(8, 0).evaluations


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_permutation_is_recovered_from_a_perturbed_start(seed):
    source = torch.randperm(8, generator=torch.Generator().manual_seed(seed))
    start = permutation(source.tolist())
    blind, _ = recover_permutation(start, source, 0.3, seed, evaluations=1)
    learned, exact = recover_permutation(start, source, 0.3, seed)
    assert exact and learned.rmse < 1e-4 < blind.rmse


def test_the_error_is_the_root_mean_square_over_entries():
    layer = ButterflyLinear(4, 4, bias=False, init="identity", dtype=torch.float64)
    assert rmse_of(layer, lambda x: 3 * x) == pytest.approx((4 * 2**2 / 16) ** 0.5)


def test_a_map_that_is_no_butterfly_leaves_an_error():
    torch.manual_seed(0)
    target = torch.randn(8, 8, dtype=torch.float64)
    layer = ButterflyLinear(8, 8, bias=False, dtype=torch.float64)
    assert learn(layer, lambda x: x @ target.T, evaluations=200).rmse > 0.1


def test_what_cannot_be_done_is_said():
    with pytest.raises(UserError, match="unknown method 'sgd'"):
        learn_dft(8, 0, method="sgd")
    with pytest.raises(UserError, match=r"noise is -1\.0"):
        recover_permutation(permutation([1, 0]), torch.tensor([1, 0]), -1.0, 0)
