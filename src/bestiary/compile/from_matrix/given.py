"""What can be given as a matrix: one with a structure, an array to recognise, a trainable layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from bestiary.compile.from_matrix.direct import direct_forms
from bestiary.compile.program import Mode
from bestiary.errors import UserError, counted
from bestiary.structured import Butterfly, Kaleidoscope, Product, StructuredMatrix
from bestiary.structured.block_diagonal import BlockDiagonal
from bestiary.structured.layers.linear import StructuredLinear
from bestiary.structured.recognition import Recognition, recognise
from bestiary.structured.transforms.chain import product
from bestiary.structured.transforms.routing import bit_reversal

LARGEST_ADVISED = 1024
"""Rows of real numbers for which a refusal says what a direct form would take."""


class NoStructure(UserError):
    """The matrix has none of the structures that are looked for."""


@dataclass(frozen=True)
class Given:
    """A matrix to compile.

    method: what to compile it by; ``direct`` where the matrix has no structure. real: whether the
    product is real though the form is complex. bias: what is added to the product, or None.
    found: what was recognised, None for what came with a structure.
    """

    member: StructuredMatrix
    method: str
    real: bool = False
    bias: NDArray[Any] | None = None
    found: Recognition | None = None


def given_matrix(
    matrix: Any,
    d: int = 1,
    mode: Mode = "causal",
    method: str = "groups",
    tolerance: float | None = None,
) -> Given:
    """A structured matrix as it is; a layer as its matrix and bias; an array as its structure.

    An array without one is taken as it is by method ``direct``, and by ``auto`` where d is its
    size. tolerance: see ``recognise``. ``NoStructure`` for others, with what would do;
    ``UserError`` for what is no square matrix.
    """
    if isinstance(matrix, StructuredMatrix):
        return Given(matrix, method)
    if isinstance(matrix, nn.Module):
        return _layer(matrix, method)
    if not hasattr(matrix, "__array__") and not isinstance(matrix, list | tuple):
        raise UserError(
            f"a matrix to compile is a structured matrix, a square array or a ButterflyLinear or "
            f"KaleidoscopeLinear layer; got a {type(matrix).__name__}"
        )
    found = recognise(matrix, tolerance)
    dense = torch.as_tensor(matrix).detach().cpu()
    if found.matrix is not None:
        real = found.matrix.is_complex and not dense.is_complex()
        return Given(found.matrix, method, real, found=found)
    wide = dense.to(torch.complex128 if dense.is_complex() else torch.float64)
    whole = BlockDiagonal(wide[None])
    if method == "direct" or (method == "auto" and d == whole.n):
        return Given(whole, "direct", found=found)
    raise NoStructure(f"{found}; {_what_would_do(whole, d, mode)}")


def _what_would_do(whole: BlockDiagonal, d: int, mode: Mode) -> str:
    """What a matrix without structure can be compiled to."""
    pairs = 1 + whole.is_complex
    told = (
        f"with d = {whole.n} method auto makes it 1 layer of {counted(pairs * whole.n, 'channel')}"
    )
    if pairs * whole.n > LARGEST_ADVISED or whole.n % d:
        return told
    dense = (whole.real_form() if whole.is_complex else whole.dense()).numpy()
    form = direct_forms(dense, d * pairs, mode)[0]
    return f"{told}, and method direct {counted(form.layers, 'layer')} of {form.width} with d = {d}"


def _layer(layer: nn.Module, method: str) -> Given:
    """The matrix of a trainable layer, cut to its features."""
    if not isinstance(layer, StructuredLinear):
        raise UserError(
            f"a {type(layer).__name__} is no structured layer; give a ButterflyLinear, a "
            "KaleidoscopeLinear, or the weight of a layer as an array"
        )
    n = layer.in_features
    if layer.out_features != n:
        raise UserError(
            f"a layer of {n} → {layer.out_features} features is no square matrix; compile "
            "layer.matrix(), the padded one"
        )
    bias = None if layer.bias is None else layer.bias.detach().cpu().numpy()
    bias = bias if bias is not None and bias.any() else None
    member = layer.matrix()
    return Given(member if member.n == n else _corner(member, n), method, bias=bias)


def _corner(member: StructuredMatrix, n: int) -> Kaleidoscope:
    """The upper left n × n corner of what a layer holds."""
    if isinstance(member, Product):
        butterfly, _ = member.factors
        assert isinstance(butterfly, Butterfly)
        member = product(butterfly, bit_reversal(member.n))
    assert isinstance(member, Butterfly | Kaleidoscope)
    return Kaleidoscope(Kaleidoscope.of(member).butterflies, n)


def biased(bias: NDArray[Any], d: int, *, pairs: bool) -> NDArray[Any]:
    """(n/d, channels): what is added in each row; pairs (Re, Im) in a complex program."""
    numbers = np.asarray(bias, dtype=np.complex128 if pairs else np.float64)
    return numbers.view(np.float64).reshape(len(numbers) // d, d * (1 + pairs))
