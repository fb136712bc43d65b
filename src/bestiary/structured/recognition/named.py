"""Tell whether a matrix is one of the named transforms, with rows scaled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial

import torch
from torch import Tensor

from bestiary.errors import UserError
from bestiary.structured.butterfly import Butterfly
from bestiary.structured.diagonal import Diagonal
from bestiary.structured.fitting.fit import residual_of
from bestiary.structured.kaleidoscope import Kaleidoscope
from bestiary.structured.matrix import StructuredMatrix
from bestiary.structured.recognition.candidate import Candidate
from bestiary.structured.transforms.registry import WITHOUT_NUMBERS
from bestiary.structured.transforms.transform import Transform

CLOSE = 0.1
"""Candidates of a larger residual are not worth making."""


def named_transforms(dense: Tensor, tolerance: float) -> Iterator[Candidate]:
    """Those transforms without numbers that ``dense`` is close to after its rows are scaled."""
    n = len(dense)
    for transform in WITHOUT_NUMBERS:
        if transform.is_complex and not dense.is_complex():
            continue
        with suppress(UserError, ValueError):  # there is none of this size
            full = torch.from_numpy(transform.reference(n))
            if full.shape != dense.shape:
                continue
            scale = (dense * full.conj()).sum(1) / full.abs().square().sum(1)
            if residual_of(dense, scale[:, None] * full) < CLOSE:
                yield _scaled(dense, transform, full, scale, tolerance)


def _scaled(
    dense: Tensor, transform: Transform, full: Tensor, scale: Tensor, tolerance: float
) -> Candidate:
    """diag(scale) · T, with one number or none where that is within the tolerance as well."""
    common = scale.mean()
    choices = (
        (0, "", torch.ones_like(scale)),
        (1, f" times {_written(complex(common), tolerance)}", common.expand_as(scale)),
        (len(scale), " with scaled rows", scale),
    )
    residuals = [residual_of(dense, rows[:, None] * full) for _, _, rows in choices]
    place = next((i for i, residual in enumerate(residuals) if residual <= tolerance), -1)
    numbers, detail, rows = choices[place]
    build = partial(_scale_rows, transform.make(len(scale)), rows)
    return Candidate("transform", residuals[place], numbers, build, transform.name + detail)


def _scale_rows(member: StructuredMatrix, scale: Tensor) -> StructuredMatrix:
    if isinstance(member, Butterfly):
        return member.scale_rows(scale)
    if not isinstance(member, Kaleidoscope):
        return Diagonal(scale) @ member
    first, *rest = member.butterflies
    padded = torch.zeros(member.size, dtype=scale.dtype)
    padded[: member.n] = scale
    return Kaleidoscope((first.scale_rows(padded), *rest), member.n)


def _written(value: complex, tolerance: float) -> str:
    return f"{value.real:.6g}" if abs(value.imag) <= tolerance * abs(value) else f"{value:.6g}"
