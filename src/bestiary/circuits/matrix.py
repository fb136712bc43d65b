"""Linear circuits of matrices of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestiary.circuits.building import Builder
from bestiary.circuits.circuit import Circuit
from bestiary.circuits.number import as_number, refuse_masked, shown
from bestiary.errors import UserError

MOST_ENTRIES = 1 << 22
"""Entries that are not 0, of which each makes one or two gates."""


def from_matrix(matrix: Any) -> Circuit:
    """The linear circuit y = M x of a matrix (m, n): input "x" (n,), output "y" (m,).

    matrix: what numpy reads as an array of two dimensions, of whole numbers, fractions, floats or
    complex numbers, each kept as it is. A sum a row, over the entries that are not 0; equal
    multiples of an input are one gate. ``UserError`` for other shapes, for entries that are no
    finite numbers, and for more than 2²² of them that are not 0.
    """
    refuse_masked(matrix, "a matrix")
    try:
        entries = np.asarray(matrix)
    except ValueError:
        raise UserError(
            f"{shown(matrix)} has rows of different lengths; a matrix (rows, columns) is needed"
        ) from None
    except (TypeError, RuntimeError) as error:
        raise UserError(
            f"a {type(matrix).__name__} is no array of numbers: {error}; numpy has to read it"
        ) from None
    if isinstance(matrix, list | tuple) and entries.dtype.kind in "fcU":
        # Beside one float, numpy rounds whole numbers of a list to floats, and long ones anyway.
        entries = np.asarray(matrix, dtype=object)
    if entries.dtype.kind not in "biufcOU":
        raise UserError(f"a matrix of type {entries.dtype} was given; numbers are needed")
    if entries.ndim == 0:
        raise UserError(
            f"a {type(matrix).__name__} is no array of numbers; a matrix (rows, columns) is "
            "needed, such as what toarray() makes of a sparse one"
        )
    if entries.ndim != 2 or not entries.size:
        raise UserError(
            f"an array of shape {entries.shape} is no matrix; a shape (rows, columns) is needed, "
            "each at least 1"
        )
    at = np.argwhere(entries != 0)
    if len(at) > MOST_ENTRIES:
        raise UserError(
            f"the matrix has {len(at):,} entries that are not 0; circuits of up to "
            f"{MOST_ENTRIES:,} are taken (bestiary.compile.matrix takes the matrix itself)"
        )
    builder = Builder()
    x = builder.input("x", (entries.shape[1],))
    terms: list[list[int]] = [[] for _ in range(entries.shape[0])]
    for row, column in at.tolist():
        number = as_number(entries[row, column], f"the entry [{row}, {column}]")
        terms[row].append(builder.multiply(builder.constant(number), x[column]))
    y = [builder.total(row) for row in terms]
    return builder.finished({"y": ((len(y),), y)}, "matrix")
