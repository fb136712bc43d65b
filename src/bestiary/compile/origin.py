"""What a compiled file was made from, so that it can be checked against that again.

A reference must not be the program itself: a named transform is checked against numpy and scipy, a
matrix and a module against what is in their own files, a circuit against itself evaluated gate by
gate.
"""

from __future__ import annotations

import hashlib
import math
import shlex
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bestiary.compile.circuit_form import CircuitForm
from bestiary.compile.verify import TOLERANCE
from bestiary.errors import UserError, counted, unknown_name
from bestiary.structured.matrix_file import LARGEST
from bestiary.structured.transforms.registry import named_transform

Kind = Literal["transform", "matrix", "module", "circuit"]
KINDS: tuple[Kind, ...] = ("transform", "matrix", "module", "circuit")


@dataclass(frozen=True)
class Origin:
    """Where a compiled stack comes from.

    name: of the transform or of the circuit in the library, the path of the matrix, of the trained
    run or of the circuit, or ``module:function``. n: rows of the matrix, the length compiled for,
    or what the library counts; the inputs of other circuits. d: channels a row. layer: of the run,
    counted from 0; None otherwise. digest: SHA-256 of the file, "" where there is none. tolerance:
    the largest relative error in float64 that is in order, more than ``verify.TOLERANCE`` for a
    matrix of fewer digits. circuit: how it lies in the stack, None for others.
    """

    kind: Kind
    name: str
    n: int
    d: int = 1
    layer: int | None = None
    digest: str = ""
    tolerance: float = TOLERANCE
    circuit: CircuitForm | None = None

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        told = asdict(replace(self, circuit=None))
        del told["circuit"]
        return told if self.circuit is None else told | {"circuit": self.circuit.to_dict()}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any] | None) -> Origin | None:
        """Back from ``to_dict``; None where a file does not say; ``UserError`` for the rest."""
        if given is None:
            return None
        names = {field.name for field in fields(cls)}
        if not isinstance(given, Mapping) or set(given) | {"tolerance", "circuit"} != names:
            raise UserError(
                f"{given!r} does not say what a stack was compiled from; its file is damaged"
            )
        if given["kind"] not in KINDS:
            raise unknown_name("kind of origin", str(given["kind"]), KINDS)
        wrong = [name for name in ("n", "d") if type(given[name]) is not int or given[name] < 1]
        wrong += [name for name in ("name", "digest") if not isinstance(given[name], str)]
        allowed = given.get("tolerance", TOLERANCE)
        if not isinstance(allowed, int | float) or not 0 <= allowed < math.inf:
            wrong.append("tolerance")
        if wrong or not (given["layer"] is None or type(given["layer"]) is int):
            name = (wrong or ["layer"])[0]
            raise UserError(
                f"the {name} of what a stack was compiled from is {given[name]!r}; "
                "its file is damaged"
            )
        if ("circuit" in given) != (given["kind"] == "circuit"):
            raise UserError(
                f"{given['name']} is said to be a {given['kind']}, which does not go with the rest "
                "of what is said; its file is damaged"
            )
        form = {"circuit": CircuitForm.from_dict(given["circuit"])} if "circuit" in given else {}
        return cls(**{**given, **form})

    def check_sizes(self, rows: int, inputs: int) -> None:
        """``UserError`` where a stack of (rows, inputs) cannot be what came from here."""
        if self.circuit is not None:
            return self.circuit.check_sizes(rows, inputs)
        held, numbers = rows * inputs, self.n * (self.d if self.kind == "module" else 1)
        if held != numbers and (self.kind == "module" or held != 2 * numbers):
            raise UserError(
                f"a stack of {rows} rows of "
                f"{counted(inputs, 'channel')} cannot come from {self.name} of size "
                f"{self.n}; its file is damaged"
            )


def digest(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_unchanged(origin: Origin, path: Path, *, given: bool = False) -> None:
    """``UserError`` where the file that a stack was compiled from is gone or another one.

    given: whether a person named this one with --reference.
    """
    if not path.is_file():
        if given:
            raise UserError(
                f"--reference is {path}, where there is no file; {origin.name} was compiled"
            )
        raise UserError(
            f"{path}, from which this stack was compiled, is not there; name it with --reference"
        )
    if origin.digest and digest(path) != origin.digest:
        raise UserError(
            f"{path} is not what this stack was compiled from: its contents have changed since; "
            f"{_again(origin, path)}"
        )


def _again(origin: Origin, path: Path) -> str:
    """How to compile what has changed; of a trained mixer its name is not known."""
    if origin.kind == "module":
        return "compile the run again"
    return f"compile it again with `bestiary compile {origin.kind} {shlex.quote(str(path))}`"


def transform_reference(origin: Origin) -> Callable[[Tensor], Tensor]:
    """The function of a named transform, by its dense matrix from numpy or scipy.

    ``UserError`` where that would take more memory than a machine has to spare.
    """
    if origin.n > LARGEST:
        raise UserError(
            f"{origin.name} of size {origin.n} is compared by its dense matrix, which is made "
            f"up to size {LARGEST}; compile a smaller one to compare"
        )
    return matrix_function(named_transform(origin.name).reference(origin.n), origin.d)


def matrix_function(dense: NDArray[Any], d: int) -> Callable[[Tensor], Tensor]:
    """x ↦ dense · x on (batch, n/d, d), rows first; pairs (Re, Im) as channels where complex."""
    if np.iscomplexobj(dense):
        matrix = torch.from_numpy(dense.astype(np.complex128))

        def pairs(x: Tensor) -> Tensor:
            _check_count(x[0].numel(), 2 * len(matrix))
            numbers = torch.view_as_complex(x.double().reshape(len(x), -1, 2).contiguous())
            return torch.view_as_real(numbers @ matrix.T).reshape(x.shape)

        return pairs
    real = torch.from_numpy(np.ascontiguousarray(dense, dtype=np.float64))

    def plain(x: Tensor) -> Tensor:
        _check_count(x[0].numel(), len(real))
        return (x.double().reshape(len(x), -1) @ real.T).reshape(x.shape)

    return plain


def _check_count(given: int, needed: int) -> None:
    if given != needed:
        raise UserError(
            f"a stack takes {given} numbers, the matrix it is compared with {needed}; they must be "
            "as many"
        )
