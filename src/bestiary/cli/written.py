"""Where a command writes: never over what it reads, nor twice to one place."""

from __future__ import annotations

from pathlib import Path

from bestiary.errors import UserError


def check_written(output: Path | None, **others: Path | str | None) -> None:
    """``UserError`` where --output is another file of the command, each given by what it is.

    Text that is no file, such as the name of a solver, is in nobody's way.
    """
    if output is None:
        return
    for what, other in others.items():
        if other is None or (isinstance(other, str) and not Path(other).exists()):
            continue
        if Path(other).resolve() == output.resolve():
            raise UserError(
                f"--output is {output}, which is the {what} too and would be written over; give "
                "another name"
            )
