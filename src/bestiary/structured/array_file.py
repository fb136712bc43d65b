"""An array of numbers in a .npy file, and one sentence for what is no such file."""

from __future__ import annotations

import math
import tokenize
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from bestiary.errors import UserError
from bestiary.file_kind import NPY, ZIP

OBJECTS = "{} holds Python objects, which are not read; save an array of numbers"


def read_npy(path: Path) -> NDArray[Any]:
    """The array in a .npy file, of any shape and of numbers or not; no code in it is ever run.

    ``UserError`` for a file that is not .npy, is cut off, or holds Python objects; ``OSError``
    where it cannot be opened.
    """
    with path.open("rb") as file:
        begin = file.read(len(NPY))
        if begin.startswith(ZIP):
            raise UserError(
                f"{path} is a .npz archive of arrays; a .npy file of one array is needed, as "
                "numpy.save writes it"
            )
        if begin != NPY:
            raise UserError(f"{path} is not a .npy file, as numpy.save writes it")
        file.seek(0)
        return read_array(file, str(path), path.stat().st_size if path.is_file() else None)


def read_array(file: IO[bytes], what: str, size: int | None = None) -> NDArray[Any]:
    """The array of an open .npy file, or of such a part of an archive; see ``read_npy``.

    what: how a sentence names it. size: how many bytes it has, None where that is not known.
    """
    try:
        _check(file, what, size)
        return np.asarray(npy.read_array(file, allow_pickle=False))
    except UserError:
        raise
    # numpy reads the header as an expression of Python.
    except (ValueError, TypeError, EOFError, SyntaxError, tokenize.TokenError) as error:
        raise UserError(f"{what} is cut off or damaged: {error}") from error


def _check(file: IO[bytes], what: str, size: int | None) -> None:
    """``UserError`` for a header that speaks of objects, or of more than the file has."""
    # Version 3 differs from 2 in the encoding of the names of fields, which no number has.
    old = npy.read_magic(file) == (1, 0)
    read = npy.read_array_header_1_0 if old else npy.read_array_header_2_0
    shape, _, dtype = read(file)
    if dtype.hasobject:
        raise UserError(OBJECTS.format(what))
    told = math.prod(shape) * dtype.itemsize
    if size is not None and (held := size - file.tell()) < told:
        raise UserError(f"{what} is cut off: it has {held} of the {told} bytes of its array")
    file.seek(0)
