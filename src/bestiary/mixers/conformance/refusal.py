"""The short form of the suite, for the moment before a training starts."""

from __future__ import annotations

import copy
from typing import Any, cast

import torch
from torch import Tensor, nn

from bestiary.errors import UserError
from bestiary.mixers.conformance.causality import expect_causal
from bestiary.mixers.conformance.report import Failed, describe
from bestiary.mixers.conformance.subject import disturbed, quiet, run

SHORT = 32
CHEAP = 1 << 15
"""Elements of an input, length · d_model, that are still pushed through whole."""


def refuse_if_unusable(module: nn.Module, d_model: int, length: int, name: str = "") -> None:
    """Raise ``UserError`` in one sentence for a mixer that cannot be trained or leaks the future.

    So do outputs of a wrong shape or dtype, gradients that cannot be had, and a missing
    ``state_size``, without which a training could not be stored at its end.

    Looks at a float64 copy, as it is and with its parameters disturbed: at length 32 cut
    in three places, then, unless that is long and wide, at ``length`` cut in the middle. It takes
    some tens of milliseconds. The module and torch's generator are left as they are.
    """
    what = f"mixer {name or type(module).__name__!r}"
    if length < 1:
        raise UserError(f"length is {length}; it must be at least 1")
    device = str(next((p.device for p in module.parameters()), "cpu"))
    with quiet(device):
        try:
            made = copy.deepcopy(module).to(torch.float64).train()
            noisy = disturbed(made, 0.3, 1)
            _refuse(made, noisy, min(length, SHORT), d_model, device)
            if length > SHORT and length * d_model <= CHEAP:
                _refuse(made, noisy, length, d_model, device)
            _refuse_state_size(made, length)
        except (Exception, SystemExit) as error:
            raise UserError(
                f"{what} cannot be used: {describe(error)} (`bestiary check` says more)"
            ) from error


def _refuse(made: nn.Module, noisy: nn.Module, length: int, d_model: int, device: str) -> None:
    generator = torch.Generator().manual_seed(0)
    batch, ends = (2, {0, length - 2}) if length <= SHORT else (1, set())
    both = torch.randn(2, batch, length, d_model, generator=generator, dtype=torch.float64)
    x, other = both.to(device)
    at = sorted((ends | {length // 2}) & set(range(length - 1)))
    _refuse_gradients(made, x)
    with torch.no_grad():
        expect_causal(made, x, other, at)
        # Noise may make a sound mixer overflow, which says nothing about what it reads.
        if bool(run(noisy, x).isfinite().all()):
            expect_causal(noisy, x, other, at)


def _refuse_gradients(made: nn.Module, x: Tensor) -> None:
    leaf = x.clone().requires_grad_()
    # Not the leaf itself: in a model the input comes from a norm, and may be written to.
    y = run(made, leaf.clone())
    if y.dtype != x.dtype:
        raise Failed(f"the output is {y.dtype} for an input of {x.dtype}")
    if not y.requires_grad:
        raise Failed("the output has no gradient")
    y.sum().backward()
    made.zero_grad()


def _refuse_state_size(made: nn.Module, length: int) -> None:
    size = cast(Any, made).state_size(length)
    if isinstance(size, bool) or not isinstance(size, int) or size < 0:
        raise Failed(f"state_size({length}) is {size!r}; it must be a whole number of elements")
