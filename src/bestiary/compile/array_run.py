"""A compiled stack on an array as people have it: a vector, real or complex, or a batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from bestiary.compile.circuit_form import CircuitForm
from bestiary.compile.origin import Origin
from bestiary.errors import UserError, counted, unknown_name
from bestiary.mixers.stack_file import StackFile

DTYPES = {"float64": torch.float64, "float32": torch.float32}

Numbers = Literal["real, linear", "real", "pairs", "either"]
"""What the channels of a stack hold: real numbers, or pairs (Re, Im); either where only who wrote
the program knows."""


def run_array(file: StackFile, array: NDArray[np.generic], dtype: str = "float64") -> NDArray[Any]:
    """The output in the shape of the input.

    array: (batch, rows, channels), (rows, channels), a vector of rows · channels numbers, taken row
    by row, or a batch of such vectors. Fewer rows are taken by a stack that is causal, unless it is
    a matrix.

    A stack of a complex matrix has a pair (Re, Im) of channels for each number. It takes complex
    numbers, and real ones as complex ones with Im = 0, and the result is complex; or its pairs as
    they are, as real (rows, channels). One of a real matrix takes complex numbers by Re
    and Im apart. One of a program of one's own takes complex numbers as pairs of channels, and one
    of a mixer takes none. A circuit takes vectors of its inputs: see ``CircuitForm.read``.

    ``UserError`` where it does not fit, and where a number that goes in or comes out is not finite
    in ``dtype``.
    """
    laid = laid_out(file, array, dtype)
    made = laid.written(_run(file, laid.batch, dtype))
    _check_finite(made, "the output", dtype)
    return made


@dataclass(frozen=True)
class Laid:
    """An array as a stack takes it.

    batch: (batch, rows, inputs). written: of what the stack gives for it, (batch, rows, channels),
    the output as ``run_array`` gives it. parts: 2 where the second half of the batch is Im, and
    what was given is Re and Im one after the other; else 1.
    """

    batch: NDArray[np.float64]
    written: Callable[[NDArray[Any]], NDArray[Any]]
    parts: int = 1


def laid_out(file: StackFile, array: NDArray[np.generic], dtype: str = "float64") -> Laid:
    """How ``run_array`` reads an array; ``UserError`` where it does not fit or is not finite."""
    if dtype not in DTYPES:
        raise unknown_name("dtype", dtype, DTYPES)
    if file.rows is None or file.inputs is None:
        raise UserError("the stack does not say what it takes; it was saved without its sizes")
    given = np.asarray(array)
    if given.dtype.kind not in "biufc":
        raise UserError(f"an array of {given.dtype} was given; numbers are needed")
    _check_finite(given, "the input")
    with np.errstate(over="ignore"):
        numbers = given.astype(np.complex128 if given.dtype.kind == "c" else np.float64)
    origin = Origin.from_dict(file.about.get("origin"))
    if origin is not None:
        origin.check_sizes(file.rows, file.inputs)
    form = None if origin is None else origin.circuit
    if form is not None:
        laid = _of_circuit(form, numbers, file.rows, file.inputs)
    else:
        laid = _of_sequences(_reading(file, origin, file.rows, file.inputs, numbers), numbers)
    _check_finite(_in(numbers, dtype), "the input", dtype)
    return laid


def _of_circuit(form: CircuitForm, numbers: NDArray[Any], rows: int, inputs: int) -> Laid:
    examples, lead, as_port = form.read(numbers, rows)
    return Laid(
        form.input_array(examples, rows, inputs),
        lambda made: form.written(form.outputs_of(made), lead, as_port),
    )


def _of_sequences(reading: Reading, numbers: NDArray[Any]) -> Laid:
    def written(made: NDArray[Any]) -> NDArray[Any]:
        if reading.apart:
            made = _paired(np.stack(np.split(made, 2), axis=-1))[..., 0]
        if reading.paired:
            made = _paired(made)
        if made.shape[1:] == reading.sequence:
            return made.reshape(numbers.shape)
        return made if reading.batched else made[0]

    if not reading.apart:
        return Laid(reading.batch(numbers), written)
    parts = [reading.batch(part) for part in (numbers.real, numbers.imag)]
    return Laid(np.concatenate(parts), written, 2)


@dataclass(frozen=True)
class Reading:
    """How an array is read.

    rows, inputs: of one sequence, as the stack takes it. paired: whether a number is a pair of
    channels. apart: whether Re and Im are run one after the other. batched: whether the array is
    several sequences.
    """

    rows: int
    inputs: int
    paired: bool
    apart: bool
    batched: bool

    @property
    def sequence(self) -> tuple[int, int]:
        """Rows of one sequence, and numbers in a row."""
        return self.rows, self.inputs // (1 + self.paired)

    def batch(self, numbers: NDArray[Any]) -> NDArray[np.float64]:
        """(batch, rows, inputs)."""
        count = len(numbers) if self.batched else 1
        flat = numbers.astype(np.complex128) if self.paired else numbers
        parts = np.ascontiguousarray(flat).view(np.float64)
        return parts.reshape(count, self.rows, self.inputs)


def _reading(
    file: StackFile, origin: Origin | None, rows: int, inputs: int, numbers: NDArray[Any]
) -> Reading:
    """How an array is read; ``UserError`` for one that does not fit."""
    kind, shape = _numbers(origin, rows, inputs), numbers.shape
    is_complex = numbers.dtype.kind == "c"
    if is_complex and kind == "real":
        raise UserError(
            f"an array of {numbers.dtype} was given; a mixer takes real numbers, and is not linear,"
            " so that Re and Im cannot be run one after the other"
        )
    as_pairs = kind == "pairs" and not is_complex and (rows, inputs) in (shape, shape[1:])
    paired = (kind == "pairs" and not as_pairs) or (kind == "either" and is_complex)
    channels, odd = divmod(inputs, 2) if paired else (inputs, 0)
    single: list[tuple[int, ...]] = [(rows, channels), (rows * channels,)]
    apart = is_complex and kind == "real, linear"
    if not odd and shape in single:
        return Reading(rows, inputs, paired, apart, False)
    if not odd and len(shape) > 1 and shape[0] and shape[1:] in single:
        return Reading(rows, inputs, paired, apart, True)
    shorter = file.stack.causal and kind in ("real", "either")
    is_sequence = not odd and len(shape) in (2, 3) and shape[-1] == channels and shape[0] > 0
    if shorter and is_sequence and 1 <= shape[-2] < rows:
        return Reading(shape[-2], inputs, paired, apart, len(shape) == 3)
    word = "complex numbers" if paired else "numbers"
    fewer = f"; or fewer rows, ({rows - 1}, {channels})" if shorter and rows > 1 else ""
    shapes = f"{single[0]}, {single[1]}, or a batch of either{fewer}"
    raise UserError(
        f"an array of shape {shape} was given; the stack takes "
        f"{counted(rows, 'row')} of {counted(inputs, 'channel')}, "
        f"{rows * inputs // (1 + paired)} {word} a sequence"
        + ("" if odd else f" (accepted: {shapes})")
    )


def _numbers(origin: Origin | None, rows: int, inputs: int) -> Numbers:
    """What the channels hold, by what the stack was compiled from."""
    if origin is None:
        return "either"
    if origin.kind == "module":
        return "real"
    return "pairs" if rows * inputs == 2 * origin.n else "real, linear"


def _run(file: StackFile, batch: NDArray[np.float64], dtype: str) -> NDArray[Any]:
    with torch.no_grad():
        given = torch.from_numpy(batch).to(DTYPES[dtype])
        made: NDArray[Any] = file.stack.to(DTYPES[dtype])(given).numpy()
    return made


def _in(numbers: NDArray[Any], dtype: str) -> NDArray[Any]:
    """The numbers as ``dtype`` holds them, with infinities where it does not."""
    if dtype == "float64":
        return numbers
    with np.errstate(over="ignore"):
        return numbers.astype(np.complex64 if numbers.dtype.kind == "c" else np.float32)


def _paired(out: NDArray[Any]) -> NDArray[Any]:
    """Channels 2c and 2c + 1 as one complex number."""
    if out.shape[-1] % 2:
        raise UserError(
            f"a complex array was given, but the stack gives "
            f"{counted(out.shape[-1], 'channel')}, no pairs "
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
