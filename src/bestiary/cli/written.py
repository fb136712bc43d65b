"""Where a command writes: a file of the kind's ending, never over what it reads, nor two to one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bestiary.errors import UserError

STACK, NUMPY, PAGE, DRAWING = (".safetensors",), (".npy",), (".html", ".htm"), (".svg",)
"""How names of the files that commands write end."""


def check_written(
    path: Path | None,
    endings: Sequence[str] = (),
    option: str = "--output",
    **others: Path | str | None,
) -> None:
    """``UserError`` where an option names a place that will not do, before any work is done for it.

    endings: what its name must have one of, so that no source text is written over. others: the
    other files of the command, each given by what it is; text that is no file, such as the name of
    a solver, is in nobody's way.
    """
    if path is None:
        return
    for what, other in others.items():
        if other is None or (isinstance(other, str) and not Path(other).exists()):
            continue
        if Path(other).resolve() == path.resolve():
            raise UserError(
                f"{option} is {path}, which is the {what} too and would be written over; give "
                "another name"
            )
    if path.is_dir():
        raise UserError(f"{option} is {path}, which is a folder; name a file in it")
    if endings and path.suffix not in endings:
        raise UserError(f"{option} is {path}; its name must end in {' or '.join(endings)}")
    if not path.parent.is_dir():
        raise UserError(f"{option} is {path}, but there is no folder {path.parent}")
