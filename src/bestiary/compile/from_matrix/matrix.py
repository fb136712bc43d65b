"""A structured matrix compiled: the choice of a construction, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from bestiary.compile.compiling import Compiled, compile_program
from bestiary.compile.from_matrix.chain import chain
from bestiary.compile.from_matrix.channel_groups import channel_groups
from bestiary.compile.from_matrix.layout import Layout
from bestiary.compile.from_matrix.level import check_radix, merged
from bestiary.compile.program import Mode, Program
from bestiary.errors import unknown_name
from bestiary.structured import Kaleidoscope, StructuredMatrix

Method = Literal["groups"]


def matrix(
    member: StructuredMatrix,
    d: int = 1,
    mode: Mode = "causal",
    method: str = "groups",
    radix: int = 2,
) -> Compiled:
    """The stack that multiplies by ``member`` a vector given row by row, d numbers a row.

    The stack takes (batch, n/d, d) and gives the same; for complex entries (batch, n/d, 2d), each
    number as a pair (Re, Im) as in ``torch.view_as_real``. Equal to the dense product within 1e-10.

    mode: ``circular`` has a ring of as many rows as ``member`` itself. method: ``groups``, as
    groups of channels. radix: how many rows or channels a level may mix: r gives log2 r times
    fewer layers for d' = r·d.

    ``UserError`` for a d that does not divide n or is no power of two, and an unknown method.
    """
    return compile_program(matrix_program(member, d, mode, method, radix))


def matrix_program(
    member: StructuredMatrix,
    d: int = 1,
    mode: Mode = "causal",
    method: str = "groups",
    radix: int = 2,
) -> Program:
    """The program that ``matrix`` compiles."""
    if method not in METHODS:
        raise unknown_name("method", method, METHODS)
    return METHODS[method](member, d, mode, radix)


def _groups(member: StructuredMatrix, d: int, mode: Mode, radix: int) -> Program:
    layout = Layout.of(member.n, _size(member), d, pairs=member.is_complex, mode=mode)
    return channel_groups(merged(chain(member), check_radix(radix)), layout, repr(member))


def _size(member: StructuredMatrix) -> int:
    return member.size if isinstance(member, Kaleidoscope) else member.n


METHODS: dict[str, Callable[[StructuredMatrix, int, Mode, int], Program]] = {"groups": _groups}
