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


def refuse_if_unusable(module: nn.Module, d_model: int, length: int, name: str = "") -> None:
    """Raise ``UserError`` in one sentence for a mixer with outputs of a wrong shape or a leak.

    Looks at a float64 copy on the CPU, as it is and with its parameters disturbed, at length 32 or
    ``length`` if that is less; a few milliseconds at the widths of recall experiments. The module
    and torch's generator are left as they are.
    """
    what = f"mixer {name or type(module).__name__!r}"
    if length < 1:
        raise UserError(f"length is {length}; it must be at least 1")
    short = min(length, SHORT)
    generator = torch.Generator().manual_seed(0)
    x, other = torch.randn(2, 2, short, d_model, generator=generator, dtype=torch.float64)
    with quiet():
        try:
            copied = copy.deepcopy(module).to(device="cpu", dtype=torch.float64)
            run(copied.train(), x)
            noisy = disturbed(copied, 0.3, 1)
            expect_causal(copied, x, other)
            if bool(run(noisy, x).isfinite().all()):
                expect_causal(noisy, x, other)
        except Exception as error:
            raise UserError(
                f"{what} cannot be used: {describe(error)} (`bestiary check` says more)"
            ) from error
