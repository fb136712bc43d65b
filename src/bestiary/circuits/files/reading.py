"""Files of circuits by name: which format it is shows in the ending or in the text."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from bestiary.atomic import write_text
from bestiary.circuits.circuit import Circuit
from bestiary.circuits.files.arith import from_arith
from bestiary.circuits.files.bristol import from_bristol
from bestiary.circuits.files.document import from_json, to_json
from bestiary.circuits.files.mistake import fields_of
from bestiary.circuits.files.python_file import PYTHON, python_file
from bestiary.circuits.files.text import from_text, to_text
from bestiary.errors import UserError
from bestiary.file_kind import NO_CIRCUITS, refuse_kinds

READERS: dict[str, Callable[[str, str, str], Circuit]] = {
    "circuit": from_text,
    "json": lambda text, where, name: from_json(text, where),
    "bristol": from_bristol,
    "arith": from_arith,
}


def read_circuit(path: str | Path) -> Circuit:
    """The circuit in a file: our text or JSON, Bristol's boolean formats, or libsnark's .arith.

    The endings .circuit, .json, .bristol and .arith say which; of any other file the text does.
    ``UserError`` where it cannot be read or is no circuit, with the number of the line.
    """
    path = Path(path)
    text = _text(path)
    return READERS[_format(path, text)](text, str(path), path.stem)


def format_of(path: str | Path) -> str:
    """Which of the formats a file has: circuit, json, bristol or arith. Errors as of reading."""
    path = Path(path)
    return _format(path, _text(path))


def write_circuit(path: str | Path, circuit: Circuit) -> None:
    """Write a circuit, as JSON where the ending is .json and as text where it is not.

    The file is there whole or not at all. ``UserError`` where it cannot be written.
    """
    path = Path(path)
    kind = path.suffix.lower().removeprefix(".")
    if f".{kind}" == PYTHON or (kind in READERS and kind not in ("circuit", "json")):
        raise UserError(f"{path} cannot be written: circuits are written as .circuit or .json")
    if path.exists() and not path.is_file():
        raise UserError(f"{path} cannot be written: it is there and is no ordinary file")
    try:
        write_text(path, to_json(circuit) if kind == "json" else to_text(circuit))
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from error


def _text(path: Path) -> str:
    if path.suffix.lower() == PYTHON and path.is_file():
        raise python_file(path)
    refuse_kinds(path, "a circuit", NO_CIRCUITS, "give .circuit, .json, .bristol or .arith")
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UserError(f"there is no file {path}") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is no text: byte {error.start} is not UTF-8") from None


def _format(path: Path, text: str) -> str:
    kind = path.suffix.lower().removeprefix(".")
    return kind if kind in READERS else _kind(text)


def _kind(text: str) -> str:
    if text.lstrip().startswith("{"):
        return "json"
    first = " ".join(next((fields for _, fields in fields_of(text)), []))
    if re.fullmatch(r"total \d+", first):
        return "arith"
    return "bristol" if re.fullmatch(r"\d+ \d+", first) else "circuit"
