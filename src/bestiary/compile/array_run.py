"""A compiled stack on an array as people have it: a vector, real or complex, or a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bestiary.errors import UserError, unknown_name
from bestiary.mixers.stack_file import StackFile

DTYPES = {"float64": torch.float64, "float32": torch.float32}


def run_array(file: StackFile, array: NDArray[np.generic], dtype: str = "float64") -> NDArray[Any]:
    """The output in the shape of the input.

    array: (batch, rows, channels), (rows, channels), a vector of rows · channels numbers, taken row
    by row, or a batch of such vectors. A complex array is taken as pairs (Re, Im) of channels, so
    that the stack needs two channels a number, and comes back complex. ``UserError`` where it does
    not fit, and where a number that goes in or comes out is not finite in ``dtype``.
    """
    if dtype not in DTYPES:
        raise unknown_name("dtype", dtype, DTYPES)
    if file.rows is None or file.inputs is None:
        raise UserError("the stack does not say what it takes; it was saved without its sizes")
    numbers = np.asarray(array)
    if numbers.dtype.kind not in "biufc":
        raise UserError(f"an array of {numbers.dtype} was given; numbers are needed")
    _check_finite(numbers, "the input")
    is_complex = numbers.dtype.kind == "c"
    batched = _is_batch(file.rows, file.inputs, numbers, is_complex)
    with torch.no_grad():
        batch = _batch(file.rows, file.inputs, numbers, batched).to(DTYPES[dtype])
        _check_finite(batch.numpy().reshape(numbers.shape + (2,) * is_complex), "the input", dtype)
        out = file.stack.to(DTYPES[dtype])(batch).numpy()
    made = _paired(out) if is_complex else out
    if out.shape[1:] == (file.rows, file.inputs):
        made = made.reshape(numbers.shape)
    elif not batched:
        made = made[0]
    _check_finite(made, "the output", dtype)
    return made


def _is_batch(rows: int, inputs: int, numbers: NDArray[Any], is_complex: bool) -> bool:
    """Whether the array is a batch and not one sequence; ``UserError`` where it is neither."""
    channels, odd = divmod(inputs, 2) if is_complex else (inputs, 0)
    single = [(rows, channels), (rows * channels,)]
    if not odd and numbers.shape in single:
        return False
    if not odd and numbers.ndim and len(numbers) and numbers.shape[1:] in single:
        return True
    kind = "complex numbers" if is_complex else "numbers"
    shapes = "" if odd else f" (accepted: {single[0]}, {single[1]}, or a batch of either)"
    raise UserError(
        f"an array of shape {numbers.shape} was given; the stack takes {rows} rows of {inputs} "
        f"channels, {rows * inputs // (1 + is_complex)} {kind} a sequence{shapes}"
    )


def _batch(rows: int, inputs: int, numbers: NDArray[Any], batched: bool) -> Tensor:
    """(batch, rows, inputs), float64."""
    kind = np.complex128 if numbers.dtype.kind == "c" else np.float64
    with np.errstate(over="ignore"):
        flat: NDArray[Any] = numbers.astype(kind)
    count = len(numbers) if batched else 1
    pairs = np.ascontiguousarray(flat).view(np.float64)
    return torch.from_numpy(pairs.reshape(count, rows, inputs))


def _paired(out: NDArray[Any]) -> NDArray[Any]:
    """Channels 2c and 2c + 1 as one complex number."""
    if out.shape[-1] % 2:
        raise UserError(
            f"a complex array was given, but the stack gives {out.shape[-1]} channels, no pairs "
            "(Re, Im); give a real one"
        )
    wide = np.complex128 if out.dtype == np.float64 else np.complex64
    return np.ascontiguousarray(out).view(wide)


def _check_finite(numbers: NDArray[Any], what: str, dtype: str = "") -> None:
    """``UserError`` that names the first number that is NaN or infinite."""
    wrong = np.argwhere(~np.isfinite(numbers))
    if not len(wrong):
        return
    place = tuple(int(i) for i in wrong[0])
    where = f" at index {place if len(place) > 1 else place[0]}" if place else ""
    within = ""
    if dtype:
        within = f" in {dtype}, which holds numbers up to {torch.finfo(DTYPES[dtype]).max:.1e}"
    raise UserError(f"{what} has {numbers[place]}{where}{within}; every number must be finite")
