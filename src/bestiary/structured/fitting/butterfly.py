"""Fit a butterfly to a dense matrix by splitting off one factor after the other.

Le, Zheng, Riccietti and Gribonval, "Fast learning of fast transforms, with guarantees", 2022, and
Zheng, Riccietti and Gribonval, "Efficient identification of butterfly sparse matrix
factorizations", 2023. A block of size k that is a factor times two blocks of k/2 has, in each half
of its columns, rows t and t + k/2 that are multiples of one row, which is row t of the smaller
block: the best such row and multiples are a singular value decomposition of a 2 × k/2 matrix.
"""

from __future__ import annotations

from typing import Any, overload

import torch
from torch import Tensor

from bestiary.errors import UserError
from bestiary.structured.butterfly import Butterfly, falling_sizes
from bestiary.structured.butterfly_factor import ButterflyFactor
from bestiary.structured.fitting.fit import Fit, residual_of
from bestiary.structured.matrix import StructuredMatrix, check_power_of_two
from bestiary.structured.permutation import Permutation
from bestiary.structured.transforms.arguments import square


@overload
def fit_butterfly(
    matrix: Any, permutation: None = None, *, adjoint: bool = False
) -> Fit[Butterfly]: ...
@overload
def fit_butterfly(
    matrix: Any, permutation: Permutation, *, adjoint: bool = False
) -> Fit[StructuredMatrix]: ...
def fit_butterfly(
    matrix: Any, permutation: Permutation | None = None, *, adjoint: bool = False
) -> Fit[Butterfly] | Fit[StructuredMatrix]:
    """Fit M · P to an n×n matrix, M in B, or with ``adjoint`` in B*, and P the permutation given.

    n is a power of two; without ``permutation`` the fit is the ``Butterfly`` M, otherwise the
    product. The result is exact up to rounding where the matrix is such a product, as the DFT is
    with the bit reversal; otherwise the error is at most √(log2 n − 1) times the smallest there
    is, since each of the log2 n − 1 splits drops no more than that. O(n²·log n). Raises
    ``UserError`` for a matrix that is not square, of another size or not finite.
    """
    dense = square(matrix, "the matrix to fit a butterfly to")
    check_power_of_two(len(dense), "the size of a matrix to fit a butterfly to")
    if permutation is not None and permutation.n != len(dense):
        raise UserError(
            f"a permutation of {permutation.n} does not go with a matrix of n = {len(dense)}"
        )
    plain = dense if permutation is None else dense[:, permutation.source.argsort()]
    butterfly = _split(plain.mH).adjoint() if adjoint else _split(plain)
    residual = residual_of(plain, butterfly.dense())
    if permutation is None:
        return Fit(butterfly, residual)
    return Fit(butterfly @ permutation, residual)


def _split(dense: Tensor) -> Butterfly:
    """The butterfly in B whose factors are split off, largest first.

    Multiples have norm 1 for each row, so that what a later split drops counts in full.
    """
    n = len(dense)
    factors, blocks = [], dense[None]
    for k in falling_sizes(n)[:-1]:
        # (block, half of columns, row p, one of its two rows, column)
        halves = blocks.reshape(-1, 2, k // 2, 2, k // 2).permute(0, 3, 2, 1, 4)
        u, s, vh = torch.linalg.svd(halves, full_matrices=False)
        factors.append(ButterflyFactor(n, k, u[..., 0].permute(0, 3, 1, 2).contiguous()))
        blocks = (s[..., :1] * vh[..., 0, :]).reshape(-1, k // 2, k // 2)
    return Butterfly([*factors, ButterflyFactor(n, 2, blocks[..., None].contiguous())])
