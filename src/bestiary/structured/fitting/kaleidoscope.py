"""Factor a matrix into a member of BB*, where it is one in general position.

With F and G the outer factors, of size n, M = F · (C1 ⊕ C2) · Gᵀ. Take the entries of M at rows
(p, p + n/2) and columns (q, q + n/2) as a 2×2 matrix X[p, q]: it is F[p] · diag(C1[p, q], C2[p, q])
· G[q]ᵀ. So all X[p, q] are made diagonal by one basis for each p and one for each q. Round a
rectangle, X[p, q] X[r, q]⁻¹ X[r, s] X[p, s]⁻¹ has the columns of F[p] as eigenvectors, which gives
one basis and, by it, all others; the diagonals are C1 and C2, which are factored in the same way.

Where the X are singular, as in permutations, this says nothing, and ``residual`` will show it.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from bestiary.structured.butterfly import Butterfly, falling_sizes
from bestiary.structured.butterfly_factor import ButterflyFactor
from bestiary.structured.fitting.fit import Fit, residual_of, size_exponent, times_power
from bestiary.structured.kaleidoscope import Kaleidoscope
from bestiary.structured.matrix import check_power_of_two
from bestiary.structured.transforms.arguments import square

RECTANGLES = 64
"""How many rectangles are tried in each block for the one with the best separated eigenvalues."""

SWEEPS = 3
"""How often all bases are fitted to one another in turn."""


def fit_kaleidoscope(matrix: Any) -> Fit[Kaleidoscope]:
    """Fit M1 · M2* to an n×n matrix, n a power of two.

    Exact for members of BB* in general position, but for rounding, which grows with the condition
    of the factors; anything may come out for other matrices, so look at ``residual``. Real where
    the matrix and all bases found are, complex otherwise. O(n²·log n). Raises ``UserError`` for a
    matrix that is not square, of another size or not finite.
    """
    given = square(matrix, "the matrix to fit a kaleidoscope to")
    # Bases are found from products of many entries, so these are to be near 1.
    exponent = size_exponent(given)
    dense = times_power(given, -exponent).to(torch.complex128)
    n = len(dense)
    check_power_of_two(n, "the size of a matrix to fit a kaleidoscope to")
    left, right, blocks = [], [], dense[None]
    for _ in falling_sizes(n)[:-1]:
        outer, inner, blocks = _peeled(blocks)
        left.append(_factor(n, outer))
        right.append(_factor(n, inner).transpose())
    left.append(ButterflyFactor(n, 2, times_power(blocks, exponent).unsqueeze(-1)))
    right.append(ButterflyFactor.identity(n, 2, torch.complex128))
    fitted = Kaleidoscope((Butterfly(left), Butterfly(right[::-1])))
    fit = Fit(fitted, residual_of(given, fitted.dense()))
    if given.is_complex():
        return fit
    real = Kaleidoscope.from_packed(fitted.packed().real.contiguous())
    alone = Fit(real, residual_of(given, real.dense()))
    return alone if alone.residual <= 2 * fit.residual else fit


def _factor(n: int, bases: Tensor) -> ButterflyFactor:
    """The factor of bases (block, p, 2, 2)."""
    return ButterflyFactor(n, 2 * bases.shape[1], bases.permute(0, 2, 3, 1).contiguous())


def _peeled(blocks: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Bases (block, p, 2, 2) of rows and of columns, and the blocks of half the size between."""
    count, half = len(blocks), blocks.shape[-1] // 2
    x = blocks.reshape(count, 2, half, 2, half).permute(0, 2, 4, 1, 3)
    place, basis = _one_basis(x)
    rows = x[torch.arange(count), place]
    columns = _unit((_adjugate(basis)[:, None] @ rows).mT)
    outer = _bases(x, columns)
    for _ in range(SWEEPS):
        columns = _bases(x.transpose(1, 2).mT, outer)
        outer = _bases(x, columns)
    inverses = [_inverse(outer)[:, :, None], _inverse(columns)[:, None].mT]
    diagonals = (inverses[0] @ x @ inverses[1]).diagonal(dim1=-2, dim2=-1)
    return outer, columns, diagonals.permute(0, 3, 1, 2).reshape(2 * count, half, half)


def _one_basis(x: Tensor) -> tuple[Tensor, Tensor]:
    """A row p of each block, (block,), and its basis, from the best of some rectangles."""
    count, half = len(x), x.shape[1]
    drawn = torch.Generator().manual_seed(half)
    p, q = torch.randint(half, (2, count, RECTANGLES), generator=drawn)
    steps = torch.randint(1, half, (2, count, RECTANGLES), generator=drawn)
    r, s = (p + steps[0]) % half, (q + steps[1]) % half
    block = torch.arange(count)[:, None]
    corners = [x[block, p, q], _adjugate(x[block, r, q]), x[block, r, s], _adjugate(x[block, p, s])]
    loop = corners[0] @ corners[1] @ corners[2] @ corners[3]
    trace = loop.diagonal(dim1=-2, dim2=-1).sum(-1)
    root = (trace**2 - 4 * torch.linalg.det(loop)).sqrt()
    size = torch.ones_like(root.abs())
    for corner in corners:
        size = size * corner.abs().square().sum((-2, -1)).sqrt()
    best = torch.where(size > 0, root.abs() / size, 0).argmax(1)
    chosen = torch.arange(count), best
    values = torch.stack([trace[chosen] + root[chosen], trace[chosen] - root[chosen]], -1) / 2
    (a, b), (c, d) = ((loop[chosen][:, i, 0, None], loop[chosen][:, i, 1, None]) for i in range(2))
    # Both are eigenvectors; where one is all rounding, the other is not.
    one = torch.stack([b.expand_as(values), values - a], -2)
    other = torch.stack([values - d, c.expand_as(values)], -2)
    longer = one.abs().sum(-2, keepdim=True) > other.abs().sum(-2, keepdim=True)
    return p[chosen], _unit(torch.where(longer, one, other))


def _bases(x: Tensor, columns: Tensor) -> Tensor:
    """The basis of every p, given those of all q: X[p, q] · G[q]⁻ᵀ has multiples of its columns.

    Adjugates stand for inverses, so that bases that are nearly singular count for little.
    """
    turned = x @ _adjugate(columns)[:, None].mT
    gram = torch.einsum("bpqik,bpqjk->bpkij", turned, turned.conj())
    return _unit(torch.linalg.eigh(gram).eigenvectors[..., -1].mT)


def _adjugate(matrices: Tensor) -> Tensor:
    (a, b), (c, d) = ((matrices[..., i, 0], matrices[..., i, 1]) for i in range(2))
    return torch.stack([torch.stack([d, -b], -1), torch.stack([-c, a], -1)], -2)


def _inverse(matrices: Tensor) -> Tensor:
    """The inverses; a singular matrix gets 0, so that it shows in the residual."""
    determinant = torch.linalg.det(matrices)
    safe = torch.where(determinant == 0, 1, determinant)
    return torch.where(
        (determinant == 0)[..., None, None], 0, _adjugate(matrices) / safe[..., None, None]
    )


def _unit(vectors: Tensor) -> Tensor:
    """Columns of 2×2 matrices scaled to norm 1 and a larger entry that is positive; zeros stay."""
    norms = vectors.abs().square().sum(-2, keepdim=True).sqrt()
    largest = vectors.gather(-2, vectors.abs().argmax(-2, keepdim=True))
    return vectors * torch.where(norms == 0, 1, largest.sgn().conj() / norms)
