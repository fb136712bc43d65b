"""Mixers with no weight left as it was made: biases and all, as after training."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from bestiary.mixers import MixerSpec, build_mixer


def trained(name: str, d_model: int = 3, max_length: int = 7, seed: int = 0, **options: Any):
    """A float32 mixer, every parameter of which is random."""
    torch.manual_seed(seed)
    return disturbed(build_mixer(MixerSpec(name, options), d_model, max_length))


def disturbed(module: nn.Module) -> nn.Module:
    with torch.no_grad():
        for parameter in module.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return module


def noise(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def assert_same_map(stack: nn.Module, mixer: nn.Module, d_model: int, *lengths: int) -> None:
    """The stack gives what the mixer's own forward gives in float64, at every length."""
    reference = mixer.double()
    for length in lengths:
        x = noise(2, length, d_model, seed=length)
        with torch.no_grad():
            expected = reference(x)
            found = stack(x)
        assert found.shape == expected.shape
        scale = float(expected.abs().max())
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-11 * max(1.0, scale))
