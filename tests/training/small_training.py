"""A task and a model small enough to train in a test, and a mixer that draws from everywhere."""

from __future__ import annotations

import random

import numpy as np
import torch
from torch import nn

from bestiary.models import LanguageModel, ModelConfig, build_model
from bestiary.tasks.mqar import MQAR
from bestiary.training import TrainingConfig

TASK = MQAR(
    vocab_size=16,
    segments=({"length": 8, "pairs": 1}, {"length": 16, "pairs": 2}),
    train_examples=70,
    validation_examples=20,
    test_examples=30,
)

# 70 examples a segment in batches of 16: 5 batches each, the last of 6 examples; 10 an epoch.
CONFIG = TrainingConfig(
    epochs=3,
    batch_size=16,
    learning_rate=1e-2,
    validate_every=7,
    stop_at=None,
    checkpoint_every=4,
    device="cpu",
)


class Noise(nn.Module):
    """Scales its input by numbers from torch's, numpy's and Python's global generators."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        if not self.training:
            return self.weight * x
        self.calls += 1
        # Gaussians come in pairs, so that one is held back in the generator's state.
        noise = torch.rand(()) + np.random.rand() + np.random.standard_normal() + random.gauss()
        return self.weight * x * (1 + 0.1 * noise)

    def state_size(self, length: int) -> int:
        return 0


def small_model(seed: int = 0, noise: bool = False) -> LanguageModel:
    """Two layers of width 8: a short convolution and attention, or noise in its place."""
    config = ModelConfig(d_model=8, mixers=("short_conv", "attention"))
    model = build_model(config, TASK.vocab_size, TASK.max_length, seed)
    if noise:
        model.blocks[1].mixer = Noise(8)
    return model


def weights(model: nn.Module) -> dict[str, bytes]:
    """Every weight and buffer as its bytes, to be compared bit for bit."""
    return {name: value.numpy().tobytes() for name, value in model.state_dict().items()}
