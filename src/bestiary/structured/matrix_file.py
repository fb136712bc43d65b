"""Square matrices as people keep them: .npy, .npz (dense or scipy sparse) and Matrix Market."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestiary.errors import UserError
from bestiary.file_kind import check_matrix_file
from bestiary.structured.array_file import OBJECTS, read_array, read_npy

DAMAGED = (
    ValueError,
    EOFError,
    KeyError,
    OverflowError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What numpy, scipy and zipfile raise for what they cannot read, archives with a password too."""
LARGEST = 8192
"""Rows; a dense float64 matrix of twice as many takes two gigabytes."""


def read_matrix(path: Path) -> NDArray[Any]:
    """A square matrix of finite numbers, dense; float64 or complex128, or float32 or complex64
    where it is stored in single precision (half precision is widened to that).

    ``UserError`` where the file cannot be read, is no square matrix, or has NaN or infinite
    entries.
    """
    check_matrix_file(path)
    try:
        matrix = _read(path)
    except UserError:
        raise
    except (OSError, *DAMAGED) as error:
        # One with a name is of a file that cannot be opened, others are of places inside of it.
        if isinstance(error, OSError) and error.filename is not None:
            raise
        # What numpy says of an archive of objects is advice to trust it.
        if "allow_pickle" in str(error):
            raise UserError(OBJECTS.format(path)) from error
        raise UserError(f"{path} is not a {path.suffix} file of a matrix: {error}") from error
    return checked(matrix, str(path))


def checked(matrix: NDArray[Any], what: str) -> NDArray[Any]:
    """The matrix as ``read_matrix`` gives it; ``UserError`` where not square or not finite."""
    _check_shape(matrix.shape, what)
    if matrix.dtype.kind not in "biufc":
        raise UserError(f"{what} has entries of type {matrix.dtype}; numbers are needed")
    numbers = np.ascontiguousarray(matrix, dtype=_precision(matrix.dtype))
    if not np.isfinite(numbers).all():
        row, column = (int(i) for i in np.argwhere(~np.isfinite(numbers))[0])
        raise UserError(
            f"{what} has {numbers[row, column]} in row {row}, column {column}; every entry must be "
            "finite"
        )
    return numbers


def _precision(dtype: np.dtype[Any]) -> type[np.inexact[Any]]:
    """What keeps the numbers of a file, and says how many digits of them to believe."""
    if dtype.kind == "c":
        return np.complex64 if dtype.itemsize <= 8 else np.complex128
    return np.float32 if dtype.kind == "f" and dtype.itemsize <= 4 else np.float64


def _read(path: Path) -> NDArray[Any]:
    if path.suffix == ".npy":
        return read_npy(path)
    if path.suffix == ".mtx":
        return _matrix_market(path)
    with path.open("rb") as file:
        if not zipfile.is_zipfile(file):
            raise ValueError("it is not the zip archive that numpy.savez writes")
    with zipfile.ZipFile(path) as archive:
        parts = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        if {"format", "shape"} <= set(parts):
            return _scipy_sparse(path)
        if len(parts) != 1:
            raise ValueError(f"it holds {len(parts)} arrays, {list(parts)}; one is needed")
        (name, info), *_ = parts.items()
        with archive.open(info) as part:
            return read_array(part, f"{name} in {path}", info.file_size)


def _matrix_market(path: Path) -> NDArray[Any]:
    """The matrix in a Matrix Market file, after what its second line says of its size."""
    from scipy.io import mminfo, mmread

    rows, columns, entries, kind, *_ = mminfo(path)
    _check_shape((rows, columns), str(path))
    held = path.stat().st_size
    # Memory is taken for all entries before the first is read; each is a line.
    if path.is_file() and kind == "coordinate" and entries > held:
        raise UserError(f"{path} is cut off: in {held} bytes it cannot have {entries} entries")
    text = path.read_bytes()
    if b"\0" in text:
        raise ValueError("it has bytes 0, which no text has")
    # As bytes 0 do, a space after the last number ends scipy 1.17 and the process, where no line
    # ends behind it.
    found = mmread(path if text.endswith(b"\n") else io.BytesIO(text + b"\n"))
    return np.asarray(found.todense() if hasattr(found, "todense") else found)


def _scipy_sparse(path: Path) -> NDArray[Any]:
    """The matrix that scipy.sparse.save_npz wrote."""
    from scipy.sparse import load_npz

    try:
        found = load_npz(path)
        _check_shape(found.shape, str(path))
        if found.format in ("csr", "csc", "bsr"):
            # Indices that lie outside would be written to memory that is no part of the matrix.
            found.check_format(full_check=True)
    except (AttributeError, TypeError) as error:
        raise ValueError(error) from error
    return np.asarray(found.todense())


def _check_shape(shape: tuple[int, ...], what: str) -> None:
    """``UserError`` where not square, empty or too large, before anything is made that large."""
    if len(shape) != 2 or shape[0] != shape[1] or not shape[0]:
        # Those of one dimension have a circuit as well, but no matrix was meant.
        other = len(shape) == 2 and all(shape)
        told = "; bestiary.circuits.from_matrix makes a circuit of another, which compiles too"
        raise UserError(
            f"{what} has shape {shape}; a square matrix is needed{told if other else ''}"
        )
    if shape[0] > LARGEST:
        raise UserError(f"{what} has {shape[0]} rows; up to {LARGEST} are read")
