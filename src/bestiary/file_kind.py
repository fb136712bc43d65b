"""What a file is by its first bytes, and one sentence where another kind of file is needed."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from pathlib import Path

from bestiary.errors import UserError

NPY, ZIP = b"\x93NUMPY", b"PK\x03\x04"
"""How .npy files and archives, .npz among them, begin."""
STACK, CIRCUIT = "a safetensors file", "a circuit"
ARRAY, ARCHIVE, MARKET = "a numpy array", "an archive of numpy arrays", "a Matrix Market file"
PYTHON, PAGE, PICTURE, TEXT = "a Python file", "a web page", "a picture", "a text"
NO_CIRCUITS = (STACK, ARRAY, ARCHIVE, MARKET, PAGE, PICTURE)
"""Those that no text of a circuit is."""
NO_STACKS = (ARRAY, ARCHIVE, MARKET, PAGE, PICTURE, PYTHON, CIRCUIT, TEXT)
MATRIX_ENDINGS, CIRCUIT_ENDINGS = (".npy", ".npz", ".mtx"), (".circuit", ".bristol", ".arith")
"""Of files that are read; a circuit may have any other, .json among them."""

_MAGIC = {
    NPY: ARRAY,
    b"%%MatrixMarket": MARKET,
    b"\x89PNG": PICTURE,
    b"<svg": PICTURE,
    b"<html": PAGE,
    b"<!doctype html": PAGE,
}
_COMPILED = {ARRAY: "matrix", ARCHIVE: "matrix", MARKET: "matrix", CIRCUIT: "circuit"}
_ENDINGS = {**dict.fromkeys(CIRCUIT_ENDINGS, CIRCUIT), ".py": PYTHON}
_READ = 512


def kind_of(path: Path) -> str | None:
    """What lies there, as a sentence calls it; None where nothing does, or nothing that is known.

    Folders, pipes and devices are nothing.
    """
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            begin = file.read(_READ)
        size = path.stat().st_size
    except OSError:
        return None
    for magic, kind in _MAGIC.items():
        if begin[: len(magic)].lower() == magic.lower():
            return kind
    if begin.startswith(ZIP) and path.suffix == ".npz":
        return ARCHIVE
    # The length of its header, and the header, which is JSON.
    if begin[8:9] == b"{" and int.from_bytes(begin[:8], "little") <= size:
        return STACK
    if b"\0" in begin or not begin:
        return None
    return _ENDINGS.get(path.suffix, TEXT if _is_text(begin) else None)


def _is_text(begin: bytes) -> bool:
    """Whether bytes are UTF-8, but for a last character that is cut."""
    try:
        begin.decode()
    except UnicodeDecodeError as error:
        return len(begin) == _READ and error.start > _READ - 4
    return True


def refuse_kinds(
    path: str | Path, wanted: str, kinds: Collection[str], give: str, to: str = ""
) -> None:
    """``UserError`` for a file of one of these kinds where ``wanted`` is needed.

    It says how to compile the file, with ``to`` behind that, or to inspect it; ``give`` where it is
    neither. What has the ending of a stack is no source of one until it is called otherwise.
    """
    kind = kind_of(Path(path))
    if kind is None or kind not in kinds:
        return
    name = shlex.quote(str(path))
    if kind in _COMPILED and Path(path).suffix == ".safetensors":
        command = f"bestiary compile {_COMPILED[kind]}"
        give = f"give it the ending of its kind, and compile it with `{command}`"
    elif kind in _COMPILED:
        give = f"compile it with `bestiary compile {_COMPILED[kind]} {name}{to}`"
    elif kind == STACK:
        give = f"see what is in it with `bestiary inspect {name}`"
    raise UserError(f"{path} is not {wanted}, but {kind}; {give}")


def check_matrix_file(path: Path) -> None:
    """``UserError`` for a file that is not there, or not one of those that matrices are read of."""
    if path.suffix not in MATRIX_ENDINGS:
        give = f"give {', '.join(MATRIX_ENDINGS)}"
        refuse_kinds(path, "a matrix", (CIRCUIT, STACK, PYTHON, PAGE), give)
        raise UserError(f"{path} is no matrix file that is read here; {give}")
    if not path.exists():
        raise UserError(f"there is no file {path}")


def refuse_other_than_stacks(path: str | Path) -> None:
    """``UserError`` for what shows to be another file than `bestiary compile` writes."""
    path = Path(path)
    if not path.exists():
        raise UserError(f"{path} cannot be read: No such file or directory")
    if path.is_dir():
        raise UserError(f"{path} cannot be read: it is a folder, not a BaseConv stack file")
    to = f" -o {shlex.quote(str(path.parent / f'{path.stem}.safetensors'))}"
    give = "give one that `bestiary compile` wrote"
    refuse_kinds(path, "a BaseConv stack file", NO_STACKS, give, to)
