"""No output may depend on an input after it, in value or through a derivative."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from bestiary.mixers.conformance.report import Failed, at
from bestiary.mixers.conformance.subject import ROUNDING, Subject, run_seeded


def forward(subject: Subject) -> None:
    """Change everything after t: outputs up to t stay, but for rounding."""
    for variant, module in subject.variants():
        for length in subject.lengths(2, 8, 17, 33):
            with at(f"length {length}, {variant}"):
                expect_causal(module, subject.inputs(length), subject.inputs(length, seed=1))


def gradient(subject: Subject) -> None:
    """The derivative of outputs up to t by inputs after t is zero, but for rounding."""
    for variant, module in subject.variants():
        for length in subject.lengths(2, 8, 17):
            with at(f"length {length}, {variant}"):
                x = subject.inputs(length).requires_grad_()
                y = run_seeded(module, x)
                if y.requires_grad:
                    _expect_causal_gradient(y, x, subject.inputs(length, seed=2))


def cuts(length: int) -> list[int]:
    """The positions t at which a sequence is cut: all of a short one, else the ends, the middle
    and both sides of powers of two, where implementations that work in blocks have their seams.
    """
    if length <= 17:
        return list(range(length - 1))
    seams = {(1 << power) - side for power in range(3, length.bit_length()) for side in (1, 0)}
    return sorted(({0, length // 2, length - 2} | seams) & set(range(length - 1)))


def expect_causal(
    module: nn.Module, x: Tensor, other: Tensor, at: Sequence[int] | None = None
) -> None:
    """Fail if outputs up to t move when x becomes ``other`` after t, for t in ``at`` (or ``cuts``).

    What moves is measured against the largest output of both runs: an FFT spreads rounding errors
    of the largest values over all positions.
    """
    with torch.no_grad():
        before = run_seeded(module, x)
        if not before.isfinite().all():
            raise Failed("the output is not finite")
        for t in cuts(x.shape[1]) if at is None else at:
            changed = torch.cat([x[:, : t + 1], other[:, t + 1 :]], dim=1)
            after = run_seeded(module, changed)
            size = max(float(before.abs().max()), float(after.abs().max()), 1e-300)
            moved = (after[:, : t + 1] - before[:, : t + 1]).abs().amax(dim=(0, 2)) / size
            if not bool((moved <= ROUNDING).all()):
                where = int(moved.nan_to_num(torch.inf).argmax())
                raise Failed(
                    f"the output at position {where} moves by {float(moved[where]):.1e} "
                    f"(relative) when only inputs after position {t} change"
                )


def _expect_causal_gradient(y: Tensor, x: Tensor, weights: Tensor) -> None:
    for t in cuts(x.shape[1]):
        read = (y[:, : t + 1] * weights[:, : t + 1]).sum()
        (grad,) = torch.autograd.grad(read, x, retain_graph=True, allow_unused=True)
        if grad is None:
            continue
        size = max(float(grad.abs().max()), 1e-300)
        leak = grad[:, t + 1 :].abs().amax(dim=(0, 2)) / size
        if not bool((leak <= ROUNDING).all()):
            where = t + 1 + int(leak.nan_to_num(torch.inf).argmax())
            raise Failed(
                f"outputs up to position {t} have a derivative of {float(leak.max()):.1e} "
                f"(relative) by the input at position {where}"
            )
