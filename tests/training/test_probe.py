"""Linear probes: exact where a linear map is, the mean where there is nothing, by layer."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from bestiary.errors import UserError
from bestiary.models import ModelConfig, build_model
from bestiary.training.probe import choice_accuracy, fit_probe, layer_outputs


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_a_linear_map_with_a_bias_is_found_again():
    weight, bias = normal(5, 3, seed=1), normal(3, seed=2)
    seen, new = normal(200, 5, seed=3), normal(40, 5, seed=4)
    probe = fit_probe(seen, seen @ weight + bias)
    torch.testing.assert_close(probe(new), new @ weight + bias, rtol=0, atol=1e-4)


def test_it_is_the_least_squares_solution_that_numpy_finds():
    x, y = normal(60, 4, seed=5), normal(60, 2, seed=6)
    ones = np.ones((60, 1))
    solution = np.linalg.lstsq(np.hstack([x.numpy(), ones]), y.numpy(), rcond=None)[0]
    probe = fit_probe(x, y, ridge=1e-12)
    np.testing.assert_allclose(probe.weight.numpy(), solution[:4], atol=1e-8)
    np.testing.assert_allclose(probe.bias.numpy(), solution[4], atol=1e-8)


def test_channels_that_are_zero_or_copies_do_no_harm():
    x = normal(50, 1, seed=7)
    features = torch.cat([x, x, torch.zeros(50, 2, dtype=torch.float64)], 1)
    torch.testing.assert_close(fit_probe(features, x)(features), x, rtol=0, atol=1e-4)


def test_from_a_layer_that_is_zero_the_mean_is_read():
    wanted = torch.tensor([[1.0], [2.0], [6.0]])
    said = fit_probe(torch.zeros(3, 2), wanted)(torch.zeros(1, 2))
    assert said.tolist() == [[3.0]]


def test_choices_are_right_where_the_largest_is_the_wanted_one():
    said = torch.tensor([[0.1, 0.9], [0.8, 0.2], [0.4, 0.6], [2.0, -1.0]])
    assert choice_accuracy(said, torch.tensor([1, 0, 0, 1])) == 0.5


def test_outputs_are_those_of_the_parts_and_hooks_are_gone_afterwards():
    model = build_model(ModelConfig(d_model=8, n_layers=2, mixers=("attention",)), 6, 4, seed=0)
    tokens = torch.tensor([[1, 2, 3, 4], [4, 3, 2, 1]])
    model.train()
    found = layer_outputs(model, {f"block {n}": b for n, b in enumerate(model.blocks)}, tokens)
    assert model.training
    assert list(found) == ["block 0", "block 1"]
    torch.testing.assert_close(model.norm(found["block 1"]), model.hidden(tokens))
    assert not any(block._forward_hooks for block in model.blocks)


def test_what_it_cannot_take_is_said_in_a_sentence():
    with pytest.raises(UserError, match=r"features of shape \(3, 2\) and targets of \(4, 1\)"):
        fit_probe(torch.zeros(3, 2), torch.zeros(4, 1))
    with pytest.raises(UserError, match="infinite or no numbers"):
        fit_probe(torch.full((3, 2), torch.inf), torch.zeros(3, 1))
    with pytest.raises(UserError, match="other was not called by the model"):
        layer_outputs(nn.Linear(2, 2), {"other": nn.Linear(2, 2)}, torch.zeros(1, 2))
