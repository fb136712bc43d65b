"""Matrices told by ranks: butterflies, BB*, Kronecker and Monarch, low rank, and sparse ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from bestiary.structured.butterfly import Butterfly
from bestiary.structured.fitting.butterfly import fit_butterfly
from bestiary.structured.fitting.fit import residual_of, size_exponent, times_power
from bestiary.structured.fitting.kaleidoscope import fit_kaleidoscope
from bestiary.structured.fitting.monarch import balanced_divisor, fit_monarch
from bestiary.structured.kaleidoscope import Kaleidoscope
from bestiary.structured.matrix import StructuredMatrix
from bestiary.structured.monarch import Monarch
from bestiary.structured.permutation import Permutation
from bestiary.structured.recognition.candidate import Candidate
from bestiary.structured.transforms.chain import product
from bestiary.structured.transforms.kronecker_product import kronecker
from bestiary.structured.transforms.low_rank_matrix import low_rank
from bestiary.structured.transforms.routing import bit_reversal
from bestiary.structured.transforms.sparse_matrix import sparse

EXACT = 1024
"""The largest n at which all singular values are computed."""

SKETCH = 64
"""The largest rank that is looked for beyond."""


def butterflies(dense: Tensor) -> Iterator[Candidate]:
    """B and B*, also with a bit reversal beside them, and BB*; n a power of two."""
    n = len(dense)
    if n < 2 or n & (n - 1):
        return
    numbers = 2 * n * (n.bit_length() - 1)
    reversal = Permutation.bit_reversal(n)
    for adjoint, name in ((False, "B"), (True, "B*")):
        plain = fit_butterfly(dense, adjoint=adjoint)
        yield Candidate("butterfly", plain.residual, numbers, partial(_same, plain.matrix), name)
    before = fit_butterfly(dense[:, reversal.source])
    yield Candidate(
        "butterfly",
        before.residual,
        numbers,
        lambda: product(before.matrix, bit_reversal(n)),
        "B after a bit reversal",
    )
    after = fit_butterfly(dense[reversal.source], adjoint=True)
    yield Candidate(
        "butterfly",
        after.residual,
        numbers,
        lambda: product(bit_reversal(n), after.matrix),
        "a bit reversal after B*",
    )
    both = fit_kaleidoscope(dense)
    yield Candidate("kaleidoscope", both.residual, 2 * numbers, lambda: both.matrix, "BB*")


def _same(matrix: StructuredMatrix) -> StructuredMatrix:
    return matrix


def kronecker_product(
    dense: Tensor, recognised: Callable[[Tensor], StructuredMatrix | None]
) -> Iterator[Candidate]:
    """The nearest Kronecker product found over all sizes of its two factors.

    Van Loan and Pitsianis, "Approximation with Kronecker products", 1993: blocks of q × q as rows
    of a matrix make it one of rank one. Row and column of its largest entry say which one.
    """
    n = len(dense)
    found = []
    for p in (p for p in range(2, n) if n % p == 0):
        q = n // p
        blocks = dense.reshape(p, q, p, q).transpose(1, 2).reshape(p * p, q * q)
        row, column = divmod(int(blocks.abs().argmax()), q * q)
        pivot = blocks[row, column]
        left = blocks[:, column].reshape(p, p)
        right = blocks[row].reshape(q, q) / torch.where(pivot == 0, 1, pivot)
        found.append((residual_of(dense, torch.kron(left, right)), p * p + q * q, left, right))
    if not found:
        return
    smallest = min(residual for residual, *_ in found)
    residual, numbers, left, right = min(
        (pair for pair in found if pair[0] <= 10 * smallest + 1e-15), key=lambda pair: pair[1]
    )
    yield Candidate(
        "kronecker",
        residual,
        numbers,
        lambda: _kronecker_member(left, right, recognised),
        f"{len(left)} ⊗ {len(right)}",
    )


def _kronecker_member(
    left: Tensor, right: Tensor, recognised: Callable[[Tensor], StructuredMatrix | None]
) -> StructuredMatrix:
    """In the hierarchy where both factors are and have sizes of powers of two, else Monarch."""
    p, q = len(left), len(right)
    if p & (p - 1) == 0 and q & (q - 1) == 0:
        one, other = recognised(left), recognised(right)
        members = Butterfly | Kaleidoscope
        if isinstance(one, members) and isinstance(other, members):
            return kronecker(one, other)
    return Monarch(left.expand(q, p, p).contiguous(), right.expand(p, q, q).contiguous())


def monarch(dense: Tensor) -> Iterator[Candidate]:
    """A Monarch matrix of the most balanced p·q = n; none where n is prime."""
    n = len(dense)
    p = balanced_divisor(n)
    if p > 1:
        fit = fit_monarch(dense, p)
        sizes = f"p = {p}, q = {n // p}"
        yield Candidate("monarch", fit.residual, n * (p + n // p), lambda: fit.matrix, sizes)


def of_low_rank(dense: Tensor, tolerance: float) -> Iterator[Candidate]:
    """The smallest rank within the tolerance, 2n numbers a rank."""
    n = len(dense)
    # Squares of the entries themselves might not be float64 numbers.
    exponent = size_exponent(dense)
    dense = times_power(dense, -exponent)
    whole = dense.norm()
    if n <= EXACT:
        u, s, vh = torch.linalg.svd(dense)
        tails = s.square().flip(0).cumsum(0).flip(0)
        beyond = torch.cat([tails[1:], tails.new_zeros(1)]).sqrt()
    else:
        u, s, v = torch.svd_lowrank(dense, q=SKETCH, niter=2)
        vh = v.mH
        beyond = (whole**2 - s.square().cumsum(0)).clamp_min(0).sqrt()
    enough = (beyond <= tolerance * whole).nonzero()
    rank = int(enough[0]) + 1 if len(enough) else len(s)
    left, right = u[:, :rank] * s[:rank], vh[:rank].mT
    residual = residual_of(dense, left @ right.mT)
    left = times_power(left, exponent)
    yield Candidate(
        "low-rank", residual, 2 * n * rank, lambda: low_rank(left, right), f"rank {rank}"
    )


def of_few_entries(dense: Tensor) -> Iterator[Candidate]:
    """The matrix by its non-zeros, a value and a place each."""
    nonzeros = int(torch.count_nonzero(dense))
    yield Candidate("sparse", 0.0, 2 * nonzeros, lambda: sparse(dense), f"{nonzeros} non-zeros")
