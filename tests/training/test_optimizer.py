"""Which weights decay, and that the update is AdamW's."""

from __future__ import annotations

import numpy as np
import torch
from small_training import small_model
from torch import nn

from bestiary.models import ModelConfig, build_model
from bestiary.training import TrainingConfig
from bestiary.training.optimizer import adamw, decayed_names, set_learning_rate


def test_linear_weights_decay_and_embeddings_norms_and_biases_do_not():
    config = ModelConfig(d_model=8, mixers=("attention",), n_layers=1, mlp_expansion=2)
    model = build_model(config, 16, 8, 0)
    decayed = decayed_names(model)
    assert {"blocks.0.mlp.up.weight", "blocks.0.mlp.down.weight"} <= decayed
    assert not {n for n in decayed if "norm" in n or "embedding" in n or n.endswith("bias")}
    optimizer = adamw(model, TrainingConfig(weight_decay=0.3))
    names = {p: n for n, p in model.named_parameters()}
    found = {names[p]: g["weight_decay"] for g in optimizer.param_groups for p in g["params"]}
    assert found == {name: 0.3 if name in decayed else 0.0 for name in names.values()}


def test_every_parameter_is_in_exactly_one_group():
    model = small_model()
    optimizer = adamw(model, TrainingConfig())
    held = [id(p) for g in optimizer.param_groups for p in g["params"]]
    assert sorted(held) == sorted(id(p) for p in model.parameters())


def test_updates_are_those_of_adamw_by_hand():
    layer = nn.Linear(3, 2).double()
    config = TrainingConfig(weight_decay=0.2)
    optimizer = adamw(layer, config)
    generator = np.random.default_rng(0)
    hand = {n: p.detach().numpy().copy() for n, p in layer.named_parameters()}
    first = {n: np.zeros_like(v) for n, v in hand.items()}
    second = {n: np.zeros_like(v) for n, v in hand.items()}
    for step in range(1, 5):
        rate = 0.1 / step
        set_learning_rate(optimizer, rate)
        for name, parameter in layer.named_parameters():
            gradient = generator.standard_normal(parameter.shape)
            parameter.grad = torch.from_numpy(gradient)
            # Loshchilov and Hutter 2019, algorithm 2.
            first[name] = 0.9 * first[name] + 0.1 * gradient
            second[name] = 0.999 * second[name] + 0.001 * gradient**2
            decay = 0.2 if name == "weight" else 0.0
            unbiased = first[name] / (1 - 0.9**step)
            scale = np.sqrt(second[name] / (1 - 0.999**step)) + 1e-8
            hand[name] = hand[name] * (1 - rate * decay) - rate * unbiased / scale
        optimizer.step()
    for name, parameter in layer.named_parameters():
        np.testing.assert_allclose(parameter.detach().numpy(), hand[name], rtol=1e-10)
