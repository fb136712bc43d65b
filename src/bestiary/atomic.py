"""Files that are there whole or not at all, whatever happens while they are written."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


def write_with(path: Path, writer: Callable[[Path], object]) -> None:
    """Let ``writer`` fill a temporary file beside ``path``, then put it in the place of ``path``.

    The data reach the disk before the name does, so a crash leaves the old file or the new one.
    When the disk is full or the writer fails, the old file stays and no part of a new one does.
    Raises ``OSError`` of ``path``, also for what a library says of the file it was given.
    """
    try:
        _write_beside(path, writer)
    except Exception as error:
        number = _system_error(error)
        if number is None:
            raise
        raise OSError(number, os.strerror(number), str(path)) from error


def _write_beside(path: Path, writer: Callable[[Path], object]) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    os.close(handle)
    part = Path(name)
    try:
        writer(part)
        part.chmod(0o666 & ~_umask())
        descriptor = os.open(part, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _system_error(error: Exception) -> int | None:
    """The number of the system's error behind ``error``, None where there is none."""
    if isinstance(error, OSError) and error.errno:
        return error.errno
    # Libraries in Rust report it as an error of their own, whose text ends in the number.
    told = re.search(r"os error (\d+)", str(error))
    return int(told[1]) if told else None


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text."""
    write_with(path, lambda part: part.write_text(text, encoding="utf-8"))


def write_json(path: Path, data: Any) -> None:
    """Write JSON, indented, for people to read as well."""
    write_text(path, json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def write_parquet(path: Path, frame: pl.DataFrame) -> None:
    """Write a Parquet file."""
    write_with(path, frame.write_parquet)


def read_json(path: Path) -> Any | None:
    """The JSON in ``path``, or None where there is no such file or it cannot be parsed."""
    try:
        return json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse)
    except (OSError, ValueError, RecursionError):
        return None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _umask() -> int:
    # mkstemp makes files for their owner alone; a store is read by others too, as any file is.
    mask = os.umask(0)
    os.umask(mask)
    return mask
