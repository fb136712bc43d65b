"""Constructions compiled at several sizes, beside the paper's bounds and the floor.

Every number of ours is measured on a stack that was compiled for the table; the paper's are those
it states (``bounds``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import torch

from bestiary.compile.bounds import PAPER_HYENA, our_bound, paper_bound
from bestiary.compile.compiling import Compiled, compile_program
from bestiary.compile.expression import conv, input_array, linear
from bestiary.compile.from_matrix import matrix
from bestiary.compile.program import Mode, Program
from bestiary.compile.report import measure
from bestiary.compile.rows import Rows
from bestiary.errors import UserError
from bestiary.structured import Butterfly, ButterflyFactor, Kaleidoscope, StructuredMatrix

Size = tuple[int, int]
"""n rows and d channels."""

SIZES: tuple[Size, ...] = ((16, 4), (64, 8), (256, 1))


@dataclass(frozen=True)
class Row:
    """One construction at one size.

    layers, inner_rows, width, nonzero: measured. bound: the layers it is held to. paper: the layers
    the paper states. floor: ⌈log2 degree⌉, None for linear maps.
    """

    construction: str
    n: int
    d: int
    mode: str
    layers: int
    bound: int
    paper: int
    floor: int | None
    inner_rows: int
    width: int
    nonzero: int


COLUMNS = (
    ("construction", "construction"),
    ("n", "n"),
    ("d", "d"),
    ("mode", "mode"),
    ("layers", "layers"),
    ("bound", "at most"),
    ("paper", "paper"),
    ("floor", "floor"),
    ("inner_rows", "N'"),
    ("width", "d'"),
    ("nonzero", "non-zero"),
)
"""Fields of ``Row`` and their titles."""


def table(
    sizes: Sequence[Size] = SIZES, *, watch: Callable[[str], None] | None = None
) -> list[Row]:
    """Compile every construction at every size (n, d), powers of two."""
    rows = []
    for n, d in sizes:
        for name, made in _constructions(n, d):
            if watch is not None:
                watch(f"{name} at n = {n}, d = {d}")
            rows.append(made())
    return rows


def _constructions(n: int, d: int) -> Iterator[tuple[str, Callable[[], Row]]]:
    for value, what in ((n, "rows"), (d, "channels")):
        if value < 1 or value & (value - 1):
            raise UserError(f"{what} is {value}; a power of two is needed")
    size = n * d
    generator = torch.Generator().manual_seed(0)

    def factor(k: int) -> ButterflyFactor:
        twiddle = torch.randn(size // k, 2, 2, k // 2, generator=generator, dtype=torch.float64)
        return ButterflyFactor(size, k, twiddle)

    def butterfly() -> Butterfly:
        return Butterfly([factor(k) for k in reversed(_powers(size))])

    def kaleidoscope(w: int) -> Kaleidoscope:
        pairs = [(butterfly(), butterfly().adjoint()) for _ in range(w)]
        return Kaleidoscope([member for pair in pairs for member in pair])

    def of(name: str, member: Callable[[], StructuredMatrix], mode: Mode) -> Callable[[], Row]:
        return lambda: _matrix_row(name, member(), n, d, mode)

    if size > 1:
        yield "butterfly factor", of("butterfly factor", partial(factor, size), "causal")
        yield "butterfly", of("butterfly", butterfly, "causal")
        for w in (1, 2, 3):
            name = f"(BB*)^{w}"
            yield name, of(name, partial(kaleidoscope, w), "causal")
            yield name, of(name, partial(kaleidoscope, w), "circular")
    for order in (1, 2, 3):
        yield f"Hyena, order {order}", partial(_hyena_row, n, d, order)


def _powers(size: int) -> list[int]:
    return [2**i for i in range(1, size.bit_length())]


def _matrix_row(name: str, member: StructuredMatrix, n: int, d: int, mode: Mode) -> Row:
    bound = our_bound(member, d, mode).layers
    paper = paper_bound(member, d).layers
    assert bound is not None and paper is not None
    return _row(name, matrix(member, d, mode), n, d, bound, paper)


def _hyena_row(n: int, d: int, order: int) -> Row:
    """A Hyena of L long filters whose projections are linear: L + 1 layers at d' = 2d."""
    generator = torch.Generator().manual_seed(order)

    def drawn(*shape: int) -> object:
        return torch.randn(*shape, generator=generator, dtype=torch.float64).numpy()

    def bias() -> Rows:
        return Rows.of(torch.randn(1, d, generator=generator).double().expand(n, d).numpy())

    u = input_array("u", d)
    z = linear(u, drawn(d, d), bias(), name="z0")
    for step in range(1, order + 1):
        gate = linear(u, drawn(d, d), bias(), name=f"p{step}")
        z = (gate * conv(drawn(n, d), z)).named(f"z{step}")
    made = compile_program(Program((u,), z, rows=n, name=f"Hyena, order {order}"))
    return _row(f"Hyena, order {order}", made, n, d, order + 1, PAPER_HYENA * order)


def _row(name: str, made: Compiled, n: int, d: int, bound: int, paper: int) -> Row:
    report = measure(made)
    return Row(
        construction=name,
        n=n,
        d=d,
        mode=report.mode,
        layers=report.layers,
        bound=bound,
        paper=paper,
        floor=report.floor,
        inner_rows=report.inner_rows,
        width=report.width,
        nonzero=report.parameters.nonzero,
    )
