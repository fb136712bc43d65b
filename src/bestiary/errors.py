"""The one exception for a mistake of the user's, and the sentences such mistakes get."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(ValueError):
    """A mistake a person can mend: one sentence with the offending value and what is accepted.

    The command line prints the sentence alone and exits with 2; library callers catch it as the
    ``ValueError`` it is.
    """


def did_you_mean(name: str, choices: Iterable[str], prefix: str = "") -> str:
    """Return ``"; did you mean 'x'?"`` for the closest of ``choices``, or an empty string.

    prefix: what a choice needs before it where it is written.
    """
    close = difflib.get_close_matches(name, list(choices), n=5)
    # Letters in another order are the likelier slip: dtf is dft before it is dst.
    close.sort(key=lambda choice: sorted(choice) != sorted(name))
    return f"; did you mean {prefix + close[0]!r}?" if close else ""


def counted(count: int, noun: str) -> str:
    """``"1 channel"``, ``"3,000 channels"``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def unknown_name(kind: str, name: str, choices: Iterable[str]) -> UserError:
    """Build the error for a name that is not among ``choices``, which are all listed."""
    names = sorted(choices)
    listed = ", ".join(names)
    return UserError(f"unknown {kind} {name!r}{did_you_mean(name, names)} (accepted: {listed})")
