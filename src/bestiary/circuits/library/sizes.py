"""The checks that circuits of the library make of the sizes they are asked for."""

from __future__ import annotations

from operator import index
from typing import Any

from bestiary.errors import UserError


def need(at_least: int = 1, **sizes: Any) -> None:
    """``UserError`` for a size, given by its name, that is no whole number from ``at_least`` on."""
    for name, size in sizes.items():
        try:
            fits = index(size) >= at_least
        except TypeError:
            fits = False
        if not fits:
            raise UserError(f"{name} is {size!r}; a whole number from {at_least} on is needed")


def one_of(accepted: tuple[str, ...], **choices: Any) -> None:
    """``UserError`` for a choice, given by its name, that is not accepted."""
    for name, choice in choices.items():
        if choice not in accepted:
            raise UserError(f"{name} is {choice!r}; {', '.join(accepted)} are accepted")
