"""Matrices told by where entries are equal or zero: diagonal, permutation, Toeplitz and others."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import torch
from torch import Tensor

from bestiary.structured.diagonal import Diagonal
from bestiary.structured.fitting.fit import residual_of
from bestiary.structured.recognition.candidate import Candidate
from bestiary.structured.transforms.convolution import anticirculant, circulant, hankel, toeplitz
from bestiary.structured.transforms.routing import permutation
from bestiary.structured.transforms.selecting import selection


def entrywise(dense: Tensor) -> Iterator[Candidate]:
    """Diagonal; permutation; at most one entry a row, or a column."""
    n = len(dense)
    diagonal = dense.diagonal()
    yield Candidate(
        "diagonal", residual_of(dense, torch.diag(diagonal)), n, lambda: Diagonal(diagonal.clone())
    )
    source = dense.abs().argmax(1)
    rows = torch.arange(n)
    ones = torch.zeros_like(dense)
    ones[rows, source] = 1
    if len(source.unique()) == n:
        yield Candidate("permutation", residual_of(dense, ones), 0, lambda: permutation(source))
    values = dense[rows, source]
    yield Candidate(
        "selection",
        residual_of(dense, ones * values[:, None]),
        n,
        lambda: selection(torch.where(values == 0, -1, source), values),
        "one entry a row",
    )
    target = dense.abs().argmax(0)
    heights = dense[target, rows]
    added = torch.zeros_like(dense)
    added[target, rows] = heights
    yield Candidate(
        "selection",
        residual_of(dense, added),
        n,
        lambda: selection(torch.where(heights == 0, -1, target), heights).transpose(),
        "one entry a column",
    )


def constant_along_diagonals(dense: Tensor) -> Iterator[Candidate]:
    """Circulant and anticirculant where n is a power of two, Toeplitz and Hankel."""
    n = len(dense)
    index = torch.arange(n)
    differences, totals = index[:, None] - index, index[:, None] + index
    if n > 1 and n & (n - 1) == 0:
        for kind, labels, made in (
            ("circulant", differences % n, circulant),
            ("anticirculant", totals % n, anticirculant),
        ):
            means = _means(dense, labels, n)
            yield Candidate(kind, residual_of(dense, means[labels]), n, partial(made, means))
    down = _means(dense, differences + n - 1, 2 * n - 1)
    yield Candidate(
        "toeplitz",
        residual_of(dense, down[differences + n - 1]),
        2 * n - 1,
        lambda: toeplitz(down[n - 1 :], down[:n].flip(0)),
    )
    across = _means(dense, totals, 2 * n - 1)
    yield Candidate(
        "hankel",
        residual_of(dense, across[totals]),
        2 * n - 1,
        lambda: hankel(across[:n], across[n - 1 :]),
    )


def _means(dense: Tensor, labels: Tensor, count: int) -> Tensor:
    """The mean of the entries of every label."""
    sums = torch.zeros(count, dtype=dense.dtype).index_add(0, labels.flatten(), dense.flatten())
    return sums / torch.bincount(labels.flatten(), minlength=count)
