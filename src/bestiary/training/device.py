"""Where and with what a training computes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

import torch
from torch import nn

from bestiary.errors import UserError
from bestiary.training.precision import autocast
from bestiary.training.randomness import generator_states, restore_generator_states

if TYPE_CHECKING:
    from bestiary.training.data import TensorBatch


def resolve_device(name: str) -> torch.device:
    """``auto`` is CUDA where there is one, else the CPU. Raises ``UserError`` for no device."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        device = None
    present = {"cpu": 1, "cuda": torch.cuda.device_count()}
    if device is None or (device.index or 0) >= present.get(device.type, 0):
        raise UserError(f"there is no device {name!r} (accepted: auto, cpu, cuda, cuda:n)")
    return device


@contextmanager
def intra_op_threads(threads: int) -> Iterator[None]:
    """Let torch use ``threads`` threads inside, and as many as before after."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def compiled(model: nn.Module, sample: TensorBatch, dtype: str) -> nn.Module:
    """``torch.compile(model)``, tried on a batch, forward and backward.

    No generator has moved and no gradient is left afterwards. Raises ``UserError`` when the
    compiler fails.
    """
    device = sample.tokens.device
    states = generator_states(device)
    fast = cast(nn.Module, torch.compile(model))
    try:
        with autocast(device, dtype):
            logits = fast(sample.tokens, sample.positions)
        logits.sum().backward()
    except UserError:
        raise
    except Exception as error:
        said = str(error).strip().splitlines()
        raise UserError(
            f"torch.compile failed ({said[0] if said else type(error).__name__}); "
            "set compile to false"
        ) from error
    model.zero_grad()
    restore_generator_states(states, device)
    return fast
