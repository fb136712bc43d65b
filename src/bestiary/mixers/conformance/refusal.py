"""The short form of the suite, for the moment before a training starts."""

from __future__ import annotations

import copy

import torch
from torch import nn

from bestiary.errors import UserError
from bestiary.mixers.conformance.causality import expect_causal
from bestiary.mixers.conformance.report import describe
from bestiary.mixers.conformance.subject import disturbed, quiet, run

SHORT = 32
CHEAP = 1 << 15
"""Elements of an input, length · d_model, that are still pushed through whole."""


def refuse_if_unusable(module: nn.Module, d_model: int, length: int, name: str = "") -> None:
    """Raise ``UserError`` in one sentence for a mixer with outputs of a wrong shape or a leak.

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
        except Exception as error:
            raise UserError(
                f"{what} cannot be used: {describe(error)} (`bestiary check` says more)"
            ) from error


def _refuse(made: nn.Module, noisy: nn.Module, length: int, d_model: int, device: str) -> None:
    generator = torch.Generator().manual_seed(0)
    batch, ends = (2, {0, length - 2}) if length <= SHORT else (1, set())
    both = torch.randn(2, batch, length, d_model, generator=generator, dtype=torch.float64)
    x, other = both.to(device)
    at = sorted((ends | {length // 2}) & set(range(length - 1)))
    with torch.no_grad():
        run(made, x)
        expect_causal(made, x, other, at)
        # Noise may make a sound mixer overflow, which says nothing about what it reads.
        if bool(run(noisy, x).isfinite().all()):
            expect_causal(noisy, x, other, at)
