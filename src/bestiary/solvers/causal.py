"""An answer of a solver's model may depend on the tokens up to it alone, as in trained models."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from bestiary.mixers.conformance.report import Failed
from bestiary.mixers.conformance.subject import quiet

CUTS = 8
"""Places of an example, at most, after which everything is changed: cheap, and first and last."""

ROUNDING = 1e-3
"""Of the largest distance between an answer's logit and the next: a leak that decides is as far."""

EPSILONS = 16
"""Of the largest logit: what its dtype rounds away, whatever the distances."""

Answers = Callable[[Tensor, Tensor], Tensor]


def expect_causal_answers(model: Answers, tokens: Tensor, other: Tensor, positions: Tensor) -> None:
    """Fail if an answer of an example moves when only tokens after it change.

    tokens, other: int64 (1, length), two examples. positions: int64, those of the answers.
    """
    with quiet(), torch.inference_mode():
        before = _seeded(model, tokens, positions)
        for cut, changed in _changed(tokens, other, positions):
            asked = positions[positions <= cut]
            try:
                after = _seeded(model, changed, asked)
            except Exception:
                # What was changed is no example of the task, and need not have an answer.
                continue
            moved = asked[~_close(before[: len(asked)], after)]
            if len(moved):
                raise Failed(
                    f"the answer at position {int(moved[0])} of an example of {tokens.shape[1]} "
                    f"tokens changes when only tokens after position {cut} do (accepted: answers "
                    "that depend on the tokens up to their own)"
                )


def _changed(tokens: Tensor, other: Tensor, positions: Tensor) -> Iterator[tuple[int, Tensor]]:
    """(cut, tokens with others after the cut).

    What another example has there, and what this one has before the cut: a key that comes again
    later finds whoever looks for it on both sides.
    """
    length = tokens.shape[1]
    inner = positions[positions < length - 1]
    chosen = torch.linspace(0, len(inner) - 1, min(CUTS, len(inner))).round().long()
    for cut in inner[chosen].tolist():
        past = tokens[:, : cut + 1]
        again = past.repeat(1, -(-length // (cut + 1)))[:, :length]
        yield cut, torch.cat([past, other[:, cut + 1 :]], dim=1)
        yield cut, again


def _seeded(model: Answers, tokens: Tensor, positions: Tensor) -> Tensor:
    torch.manual_seed(0)
    return model(tokens, positions)


def _close(before: Tensor, after: Tensor) -> Tensor:
    """Which rows of logits are the same but for rounding and a number added to all of a row.

    Measured by the logits that decide: those ruled out may be as low as can be.
    """
    epsilon = EPSILONS * torch.finfo(before.dtype).eps
    both = torch.stack([before, after]).double()
    top = both.topk(min(2, both.shape[-1])).values
    first = top[..., :1]
    apart = _largest(first - top[..., -1:])
    close = max(ROUNDING, epsilon) * apart + epsilon * _largest(first)
    # A row whose largest is infinite has no distances, and is compared as it is.
    own = both - torch.where(first.isfinite(), first, 0)
    return torch.isclose(own[0], own[1], rtol=max(ROUNDING, epsilon), atol=close).all(-1)


def _largest(numbers: Tensor) -> float:
    return float(numbers.abs().nan_to_num(nan=0, posinf=0).max().clamp(min=1e-6))
