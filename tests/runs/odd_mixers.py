"""Mixers that pass every check and then misbehave in training, told apart by the batch."""

from __future__ import annotations

import os
import signal
import time

import torch
from torch import Tensor, nn

TRAINING_BATCH = 16
"""Checks use smaller batches than this, trainings of these tests larger ones."""


class Plain(nn.Module):
    """y = x W + the mean of what came before: causal, and of no further interest."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor) -> Tensor:
        if len(x) >= TRAINING_BATCH:
            self.misbehave()
        count = torch.arange(1, x.shape[1] + 1, dtype=x.dtype, device=x.device)
        return self.linear(x.cumsum(dim=1) / count[:, None])

    def state_size(self, length: int) -> int:
        return self.linear.in_features

    def misbehave(self) -> None:
        """What goes wrong."""


class Crashing(Plain):
    def misbehave(self) -> None:
        raise RuntimeError("the flux capacitor is empty")


class Hungry(Plain):
    def misbehave(self) -> None:
        raise MemoryError


class Dying(Plain):
    def misbehave(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


class Slow(Plain):
    def misbehave(self) -> None:
        time.sleep(0.05)


class Diverging(Plain):
    def misbehave(self) -> None:
        with torch.no_grad():
            self.linear.weight.fill_(float("nan"))


class Leaking(Plain):
    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x.flip(1))


class Shapeless(Plain):
    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x)[:, :, :1]


class Stateless(Plain):
    def state_size(self, length: int) -> int:
        raise NotImplementedError("nobody asked before")


class Halving(Plain):
    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x).half()


class Exiting(Plain):
    def forward(self, x: Tensor) -> Tensor:
        raise SystemExit(3)


class Unlearning(Plain):
    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x).detach()
