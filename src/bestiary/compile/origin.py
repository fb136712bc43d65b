"""What a compiled file was made from, so that it can be checked against that again.

A reference must not be the program itself: a named transform is checked against numpy and scipy, a
matrix and a module against what is in their own files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bestiary.errors import UserError
from bestiary.structured.transforms.registry import named_transform

Kind = Literal["transform", "matrix", "module"]


@dataclass(frozen=True)
class Origin:
    """Where a compiled stack comes from.

    name: of the transform, the path of the matrix or of the trained run. n: rows of the matrix, or
    the length compiled for. d: channels a row. layer: of the run, counted from 0; None otherwise.
    digest: SHA-256 of the file, "" for a transform.
    """

    kind: Kind
    name: str
    n: int
    d: int = 1
    layer: int | None = None
    digest: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any] | None) -> Origin | None:
        """Back from ``to_dict``; None where a file does not say."""
        return None if given is None else cls(**given)


def digest(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_unchanged(origin: Origin, path: Path) -> None:
    """``UserError`` where the file that a stack was compiled from is gone or another one."""
    if not path.is_file():
        raise UserError(
            f"{path}, from which this stack was compiled, is not there; name it with --reference"
        )
    if origin.digest and digest(path) != origin.digest:
        raise UserError(
            f"{path} is not what this stack was compiled from: its contents have changed since"
        )


def transform_reference(origin: Origin) -> Callable[[Tensor], Tensor]:
    """The function of a named transform, by its dense matrix from numpy or scipy."""
    return matrix_function(named_transform(origin.name).reference(origin.n), origin.d)


def matrix_function(dense: NDArray[Any], d: int) -> Callable[[Tensor], Tensor]:
    """x ↦ dense · x on (batch, n/d, d), rows first; pairs (Re, Im) as channels where complex."""
    if np.iscomplexobj(dense):
        matrix = torch.from_numpy(dense.astype(np.complex128))

        def pairs(x: Tensor) -> Tensor:
            numbers = torch.view_as_complex(x.double().reshape(len(x), -1, 2).contiguous())
            return torch.view_as_real(numbers @ matrix.T).reshape(x.shape)

        return pairs
    real = torch.from_numpy(np.ascontiguousarray(dense, dtype=np.float64))

    def plain(x: Tensor) -> Tensor:
        return (x.double().reshape(len(x), -1) @ real.T).reshape(x.shape)

    return plain
