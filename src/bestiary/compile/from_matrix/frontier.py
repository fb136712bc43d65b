"""Depth against width: what each way to compile a matrix costs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from bestiary.compile.from_matrix.choice import matrix
from bestiary.compile.pareto import unbeaten
from bestiary.compile.program import Mode
from bestiary.compile.report import measure
from bestiary.errors import UserError
from bestiary.structured import Butterfly, StructuredMatrix

MOST_RADIX = 64
"""Larger ones are left out: d' = r·d."""


@dataclass(frozen=True)
class Choice:
    """One way to compile: its name and options, and what came out.

    layers: L. width: d'. inner_length: N'. nonzeros: entries of all weights that are not 0.
    best: whether no other choice has fewer of one of the first three and no more of the others.
    """

    method: str
    radix: int
    layers: int
    width: int
    inner_length: int
    nonzeros: int
    best: bool = False

    def __str__(self) -> str:
        name = f"{self.method}, radix {self.radix}" if self.method == "groups" else self.method
        return (
            f"{'*' if self.best else ' '} {name:<18} {self.layers:>5} layers  "
            f"d' {self.width:>6}  N' {self.inner_length:>8}  {self.nonzeros:>12,} non-zero"
        )


def frontier(
    n: int, d: int, mode: Mode = "causal", member: StructuredMatrix | None = None
) -> list[Choice]:
    """Every choice for a matrix on n rows of d channels, compiled and measured, by layers.

    member: the matrix, a random butterfly unless given. Choices that a matrix has no form for
    (complex ones at d' = d) are left out. ``UserError`` for sizes that do not fit.
    """
    of = _random_butterfly(n * d) if member is None else member
    if of.n != n * d:
        raise UserError(f"a matrix of size {of.n} has no {n} rows of {d} channels")
    radices = [2 << i for i in range(6) if 2 << i <= min(MOST_RADIX, 2 * n * d)]
    found: dict[tuple[int, int, int], Choice] = {}
    options = [("groups", radix) for radix in radices]
    options += [] if of.is_complex else [("blocks", 2), ("bits", 2)]
    if mode == "causal" and not of.is_complex:
        options.append(("paper", 2))
    for method, radix in options:
        choice = _measured(of, d, mode, method, radix)
        found.setdefault((choice.layers, choice.width, choice.inner_length), choice)
    best = dict(zip(found, unbeaten(list(found)), strict=True))
    return [replace(found[costs], best=best[costs]) for costs in sorted(found)]


def _random_butterfly(size: int) -> Butterfly:
    generator = torch.Generator().manual_seed(0)
    levels = size.bit_length() - 1
    shape = (levels, 2, 2, size // 2)
    return Butterfly.from_packed(torch.randn(shape, dtype=torch.float64, generator=generator))


def _measured(member: StructuredMatrix, d: int, mode: Mode, method: str, radix: int) -> Choice:
    made = matrix(member, d, mode, method, radix)
    report = measure(made)
    return Choice(
        method, radix, report.layers, report.width, report.inner_rows, report.parameters.nonzero
    )
