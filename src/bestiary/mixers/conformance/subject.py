"""The mixer under test: how to make it, run it and feed it, reproducibly."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn

from bestiary.mixers.conformance.report import NotApplicable, WrongShape
from bestiary.mixers.protocol import RecurrentMixer

ROUNDING = 1e-10
"""Relative difference in float64 that is put down to rounding. A causal convolution by FFT differs
by about 1e-16; a leak that matters shows at 1e-3 once the parameters are disturbed."""


@dataclass(frozen=True)
class Subject:
    """A recipe for one mixer, (batch, length, d_model) → the same, up to ``max_length``.

    construct takes nothing and draws from torch's global generator, which ``build`` seeds; whoever
    runs checks keeps the caller's generator safe around all of them.
    """

    construct: Callable[[], nn.Module]
    d_model: int
    max_length: int
    seed: int = 0
    device: str = "cpu"

    def build(self, dtype: torch.dtype = torch.float64, seed: int = 0) -> nn.Module:
        """A new mixer in eval mode; the same seed gives the same parameters."""
        torch.manual_seed(self.seed + seed)
        return self.construct().to(device=self.device, dtype=dtype).eval()

    def inputs(
        self, length: int, batch: int = 2, dtype: torch.dtype = torch.float64, seed: int = 0
    ) -> Tensor:
        """Normal numbers, (batch, length, d_model)."""
        generator = torch.Generator().manual_seed(self.seed + 1_000 + seed)
        x = torch.randn(batch, length, self.d_model, generator=generator, dtype=torch.float64)
        return x.to(device=self.device, dtype=dtype)

    def lengths(self, *wanted: int) -> list[int]:
        """``wanted`` and the longest length, those that are within reach, ascending."""
        return sorted({n for n in (*wanted, self.max_length) if 1 <= n <= self.max_length})

    def variants(self) -> Iterator[tuple[str, nn.Module]]:
        """The mixer as made and with disturbed parameters, in eval and in training mode.

        A fault can be invisible at the start, where a filter is zero or an impulse. Disturbed
        variants that overflow at the longest length are tried with less noise, then left out:
        the range of parameters is not what is being checked.
        """
        yield "as made", self.build()
        yield "as made, in training mode", self.build().train()
        for seed in (1, 2):
            for scale in (0.3, 0.1, 0.03):
                module = disturbed(self.build(seed=seed), scale, self.seed + seed)
                with torch.no_grad():
                    finite = bool(run(module, self.inputs(self.max_length)).isfinite().all())
                if finite:
                    training = seed == 2
                    mode = ", in training mode" if training else ""
                    yield f"with noise on its parameters{mode}", module.train(training)
                    break


@contextmanager
def quiet(device: str = "cpu") -> Iterator[None]:
    """Leave torch's global generator and number of threads as they were.

    Inside there is one thread: tensors this small only wait for a second one.
    """
    cuda = [torch.device(device)] if torch.device(device).type == "cuda" else []
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=cuda):
            yield
    finally:
        torch.set_num_threads(threads)


def disturbed(module: nn.Module, scale: float, seed: int) -> nn.Module:
    """A copy whose parameters are off by ``scale`` times their spread (or 0.1 if that is more)."""
    module = copy.deepcopy(module)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            noise = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
            spread = parameter.std(unbiased=False).abs().clamp(min=0.1)
            parameter.add_(noise.to(parameter) * spread * scale)
    return module


def run(module: nn.Module, x: Tensor) -> Tensor:
    """``module(x)``, held to be a tensor of x's shape."""
    return expect_shape(module(x), x)


def run_seeded(module: nn.Module, x: Tensor) -> Tensor:
    """``run`` with torch's generator at a fixed state, so that dropout drops the same."""
    torch.manual_seed(0)
    return run(module, x)


def expect_shape(y: Any, x: Tensor) -> Tensor:
    """Return y if it is a tensor shaped as x; else fail the check."""
    if not isinstance(y, Tensor):
        raise WrongShape(f"the output is a {type(y).__name__}, not a tensor")
    if y.shape != x.shape:
        raise WrongShape(f"the output is {tuple(y.shape)} for an input of {tuple(x.shape)}")
    return y


def difference(a: Tensor, b: Tensor, scale: Tensor | None = None) -> float:
    """max |a - b| over the largest magnitude in ``scale`` (b by default); inf if not finite."""
    if a.numel() == 0:
        return 0.0
    a, b = a.detach().double(), b.detach().double()
    size = float((b if scale is None else scale.detach().double()).abs().max())
    gap = float((a - b).abs().max())
    if gap == 0.0:
        return 0.0
    ratio = gap / max(size, 1e-300)
    return ratio if ratio == ratio else float("inf")


def is_recurrent(module: nn.Module) -> bool:
    """Whether it claims a recurrent form: ``initial_state`` and ``step``."""
    return callable(getattr(module, "initial_state", None)) and callable(
        getattr(module, "step", None)
    )


def recurrent(module: nn.Module) -> RecurrentMixer:
    """The module as a recurrent one; ``NotApplicable`` if it doesn't claim to be."""
    if not is_recurrent(module):
        raise NotApplicable("no recurrent form (initial_state and step)")
    return cast(RecurrentMixer, module)
