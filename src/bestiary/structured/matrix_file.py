"""Square matrices as people keep them: .npy, .npz (dense or scipy sparse) and Matrix Market."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestiary.errors import UserError
from bestiary.structured.array_file import OBJECTS, read_npy

ENDINGS = (".npy", ".npz", ".mtx")
LARGEST = 8192
"""Rows; a dense float64 matrix of twice as many takes two gigabytes."""


def read_matrix(path: Path) -> NDArray[Any]:
    """A square matrix of finite numbers, dense; float64 or complex128, or float32 or complex64
    where it is stored in single precision (half precision is widened to that).

    ``UserError`` where the file cannot be read, is no square matrix, or has NaN or infinite
    entries.
    """
    if path.suffix not in ENDINGS:
        raise UserError(f"{path} is no matrix file that is read here; give {', '.join(ENDINGS)}")
    try:
        matrix = _read(path)
    except FileNotFoundError:
        raise UserError(f"there is no file {path}") from None
    except UserError:
        raise
    except (ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
        # What numpy says of an archive of objects is advice to trust it.
        if "allow_pickle" in str(error):
            raise UserError(OBJECTS.format(path)) from error
        raise UserError(f"{path} is not a {path.suffix} file of a matrix: {error}") from error
    return checked(matrix, str(path))


def checked(matrix: NDArray[Any], what: str) -> NDArray[Any]:
    """The matrix as ``read_matrix`` gives it; ``UserError`` where not square or not finite."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise UserError(f"{what} has shape {matrix.shape}; a square matrix is needed")
    if len(matrix) > LARGEST:
        raise UserError(f"{what} has {len(matrix)} rows; up to {LARGEST} are read")
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
        from scipy.io import mmread

        found = mmread(path)
        return np.asarray(found.todense() if hasattr(found, "todense") else found)
    with path.open("rb") as file:
        if not zipfile.is_zipfile(file):
            raise ValueError("it is not the zip archive that numpy.savez writes")
    with np.load(path, allow_pickle=False) as arrays:
        names = list(arrays)
        if "format" not in names:
            if len(names) != 1:
                raise ValueError(f"it holds {len(names)} arrays, {names}; one is needed")
            return np.asarray(arrays[names[0]])
    from scipy.sparse import load_npz

    return np.asarray(load_npz(path).todense())
