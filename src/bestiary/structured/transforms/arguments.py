"""Turn what users pass as numbers into float64 or complex128 tensors, or say what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from bestiary.errors import UserError
from bestiary.structured.matrix import check_entries


def numbers(values: Any, what: str, dimensions: int = 1) -> Tensor:
    """``values`` as a finite float64 or complex128 tensor with so many axes, none of them empty.

    Anything numpy or torch can read as an array of numbers is taken; ``UserError`` otherwise.
    """
    if isinstance(values, Tensor):
        read = values.detach().cpu()
    else:
        try:
            read = torch.from_numpy(np.array(values, order="C"))
        except (TypeError, ValueError) as error:
            raise UserError(f"{what} is {type(values).__name__}, no array of numbers") from error
    if read.dim() != dimensions or read.numel() == 0:
        axes = {0: "a single number", 1: "(n,)", 2: "(rows, columns)"}.get(dimensions)
        shape = axes or f"{dimensions} axes"
        raise UserError(f"{what} has shape {tuple(read.shape)} (accepted: {shape}, not empty)")
    wide = read.to(torch.complex128 if read.is_complex() else torch.float64)
    check_entries(wide, what)
    return wide


def square(values: Any, what: str) -> Tensor:
    """``values`` as a finite n×n float64 or complex128 tensor; ``UserError`` otherwise."""
    matrix = numbers(values, what, 2)
    if matrix.shape[0] != matrix.shape[1]:
        raise UserError(f"{what} has shape {tuple(matrix.shape)}; it must be square")
    return matrix


def holding(n: int) -> int:
    """The smallest power of two that is at least n and at least 2."""
    return max(2, 1 << (n - 1).bit_length())
