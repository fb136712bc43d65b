"""One file of arrays with a JSON header: safetensors whose metadata says what the arrays are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from bestiary.atomic import write_with
from bestiary.errors import UserError

HEADER = "bestiary"
"""The entry of a safetensors file's metadata that holds the JSON."""


@dataclass(frozen=True)
class Document:
    """What can be written as JSON, and the arrays it speaks of by name."""

    header: dict[str, Any]
    arrays: dict[str, Tensor] = field(default_factory=dict)


def write_document(path: str | Path, document: Document) -> None:
    """Write all of it or nothing. ``UserError`` where the place cannot be written to."""
    path = Path(path)
    # What takes the place of a device (/dev/null) or a pipe ends it for everybody.
    if path.is_dir() or (path.exists() and not path.is_file()):
        raise UserError(f"{path} cannot be written: it is there and is no ordinary file")
    if not path.parent.is_dir():
        raise UserError(f"{path} cannot be written: there is no folder {path.parent}")
    text = json.dumps(document.header, allow_nan=False, separators=(",", ":"))
    # The format refuses arrays that share memory, and keeps only what lies densely.
    arrays = {name: a.detach().cpu().contiguous().clone() for name, a in document.arrays.items()}
    try:
        write_with(path, lambda part: save_file(arrays, part, metadata={HEADER: text}))
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from error
    except SafetensorError as error:
        raise UserError(f"{path} cannot be written: {error}") from error


def read_document(path: str | Path, format: str, version: int, what: str) -> Document:
    """Read a file whose header has this format and at most this version.

    what: how a sentence names such files. ``UserError`` for a file that is not there, not one of
    them, cut off, or newer. No code that lies in a file is ever run.
    """
    path = Path(path)
    try:
        with safe_open(path, framework="pt") as file:
            text = (file.metadata() or {}).get(HEADER)
            if text is None:
                raise UserError(f"{path} is not {what}: it has arrays, but no {HEADER} header")
            header = check_header(json.loads(text), format, version, str(path), what)
            return Document(header, {name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118
    except OSError as error:
        told = error.strerror or str(error).removesuffix(f": {path}")
        raise UserError(f"{path} cannot be read: {told}") from error
    except (SafetensorError, ValueError) as error:
        if isinstance(error, UserError):
            raise
        raise UserError(f"{path} is not {what}, or is cut off or damaged: {error}") from error


def check_header(header: Any, format: str, version: int, where: str, what: str) -> dict[str, Any]:
    """The header, where it is of that format and not newer than ``version``; else ``UserError``."""
    if not isinstance(header, Mapping) or header.get("format") != format:
        found = header.get("format") if isinstance(header, Mapping) else header
        raise UserError(f"{where} is not {what}: its format is {found!r}, not {format!r}")
    own = header.get("version")
    if not isinstance(own, int) or own > version or own < 1:
        raise UserError(
            f"{where} is {what} of format version {own!r}; this program reads versions 1 to "
            f"{version} (a newer one writes what it cannot know)"
        )
    return dict(header)
