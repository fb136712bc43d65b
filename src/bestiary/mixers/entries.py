"""Where entries lie, and what they are, as those parts of a layer take them that keep few."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from bestiary.errors import UserError


def places(given: Sequence[int] | Tensor, what: str) -> Tensor:
    """A vector of int64. ``UserError`` for another shape and for what is not whole numbers."""
    found = torch.as_tensor(given)
    if not found.numel() and not isinstance(given, Tensor):
        found = found.to(torch.int64)
    whole = not (found.is_floating_point() or found.is_complex() or found.dtype == torch.bool)
    if found.ndim != 1 or not whole:
        raise UserError(
            f"{what} are {_told(found)}; a vector of whole numbers is needed, such as torch.int64"
        )
    return found.to(torch.int64)


def check_once(first: Tensor, second: Tensor, stride: int, told: str) -> None:
    """``UserError`` where two entries lie at one place; ``stride`` is above every ``second``.

    told: the sentence, with {} for the first such place.
    """
    keys, counts = torch.unique(first * stride + second, return_counts=True)
    twice = keys[counts > 1]
    if len(twice):
        raise UserError(told.format(*divmod(int(twice[0]), stride)))


def numbers(given: Tensor, what: str) -> Tensor:
    """The same vector. ``UserError`` for another shape and for what is not floating-point."""
    if given.ndim != 1 or not given.is_floating_point():
        raise UserError(
            f"{what} are {_told(given)}; a vector of floating-point numbers is needed, such as "
            "torch.float64"
        )
    return given


def _told(given: Tensor) -> str:
    return f"of {given.dtype} and shape {tuple(given.shape)}"
