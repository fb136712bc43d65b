"""A compiled stack on an array as people have it: a vector, real or complex, or a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from bestiary.errors import UserError, unknown_name
from bestiary.mixers.stack_file import StackFile

DTYPES = {"float64": torch.float64, "float32": torch.float32}


def run_array(file: StackFile, array: NDArray[np.generic], dtype: str = "float64") -> NDArray[Any]:
    """The output in the shape of the input.

    array: (batch, rows, channels), (rows, channels), a vector of rows · channels numbers, taken row
    by row, or a batch of such vectors. A complex array is taken as pairs (Re, Im) of channels, so
    that the stack needs two channels a number, and comes back complex. ``UserError`` where it does
    not fit.
    """
    if dtype not in DTYPES:
        raise unknown_name("dtype", dtype, DTYPES)
    if file.rows is None or file.inputs is None:
        raise UserError("the stack does not say what it takes; it was saved without its sizes")
    numbers = np.asarray(array)
    if numbers.dtype.kind not in "biufc":
        raise UserError(f"an array of {numbers.dtype} was given; numbers are needed")
    is_complex = numbers.dtype.kind == "c"
    flat = numbers.astype(np.complex128 if is_complex else np.float64)
    if is_complex:
        flat = flat[..., None].view(np.float64)
    size = file.rows * file.inputs
    fits = size and flat.size and (flat.size == size or flat[0].size == size)
    if not fits:
        kind = "complex numbers" if is_complex else "numbers"
        held = size // 2 if is_complex else size
        raise UserError(
            f"an array of shape {numbers.shape} was given; the stack takes {file.rows} rows of "
            f"{file.inputs} channels, {held} {kind} a sequence"
        )
    batch = torch.from_numpy(np.ascontiguousarray(flat.reshape(-1, file.rows, file.inputs)))
    stack = file.stack.to(DTYPES[dtype])
    with torch.no_grad():
        out = stack(batch.to(DTYPES[dtype])).numpy()
    if out.shape[1:] != (file.rows, file.inputs):
        return out if numbers.ndim == 3 else out[0]
    if is_complex:
        pairs = np.ascontiguousarray(out.reshape(*numbers.shape, 2))
        return pairs.view(np.complex128 if dtype == "float64" else np.complex64)[..., 0]
    return out.reshape(numbers.shape)
