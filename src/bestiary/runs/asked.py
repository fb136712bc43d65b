"""What of `bestiary compile` shows to be wrong before torch is loaded."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

from bestiary.errors import UserError
from bestiary.file_kind import CIRCUIT_ENDINGS, MATRIX_ENDINGS, check_matrix_file


def check_counts(counts: Mapping[str, int | None], least: int = 1) -> None:
    """``UserError`` for an option below ``least``; None where it was not given."""
    for option, count in counts.items():
        if count is not None and count < least:
            raise UserError(f"{option} is {count}; {least} or more is needed")


def check_named(what: str, source: Path | None) -> None:
    """``UserError`` for a matrix that is not there, and for one or a circuit without that word."""
    if what == "matrix" and source is not None:
        check_matrix_file(source)
    if source is not None or not what:
        return
    ending = Path(what).suffix
    if ending in MATRIX_ENDINGS:
        word = "matrix"
    elif ending in CIRCUIT_ENDINGS or ":" in what or Path(what).is_file():
        word = "circuit"
    else:
        return
    raise UserError(
        f"the word {word} is missing before {what}: `bestiary compile {word} {shlex.quote(what)}`"
    )
