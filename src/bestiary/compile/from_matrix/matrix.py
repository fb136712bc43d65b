"""A structured matrix compiled: the choice of a construction, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from bestiary.compile.compiling import Compiled, compile_program
from bestiary.compile.from_matrix.chain import chain
from bestiary.compile.from_matrix.channel_groups import channel_groups
from bestiary.compile.from_matrix.direct import direct_program
from bestiary.compile.from_matrix.index_bits import index_bits
from bestiary.compile.from_matrix.layout import Layout
from bestiary.compile.from_matrix.level import Level, check_radix, merged
from bestiary.compile.from_matrix.paper import paper_levels
from bestiary.compile.from_matrix.time_blocks import time_blocks
from bestiary.compile.program import Mode, Program
from bestiary.errors import unknown_name
from bestiary.structured import StructuredMatrix


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

    mode: ``circular`` has a ring of as many rows as ``member`` itself, where method is ``groups``
    or ``direct``. method:

    - ``groups``: groups of channels, the fewest layers, d' = 2d (8 for a complex number). radix:
      how many rows or channels a level may mix; r gives up to log2 r times fewer layers for
      d' = r·d.
    - ``blocks``: the groups as blocks of rows, d' = d; ``bits``: d' = d in twice the rows, by
      moving index bits, a little deeper.
    - ``paper``: as the paper does, d' = d.
    - ``direct``: from the dense matrix, where that is one filter (circulant, Toeplitz), one map for
      all rows, a few diagonals, or of low rank.

    ``UserError`` for a d that does not divide n or is no power of two, an unknown method, and what
    a method has no form for.
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
    if method not in (*METHODS, "direct"):
        raise unknown_name("method", method, (*METHODS, "direct"))
    if method == "direct":
        return direct_matrix_program(member, d, mode)
    levels = chain(member)
    layout = Layout.of(member.n, levels[0].size, d, pairs=member.is_complex, mode=mode)
    cost = layout.layers if method == "groups" else len
    # The paper takes the factors one by one, at joints too.
    levels = levels if method == "paper" else merged(levels, check_radix(radix), cost)
    return replace(METHODS[method](levels, layout, repr(member)), linear=True)


def direct_matrix_program(
    member: StructuredMatrix, d: int = 1, mode: Mode = "causal", widest: int | None = None
) -> Program:
    """The program of method ``direct``; ``UserError`` past ``widest`` channels."""
    # A complex matrix is a real one on pairs (Re, Im), twice the channels.
    dense = (member.real_form() if member.is_complex else member.dense()).double().numpy()
    program = direct_program(dense, d * (1 + member.is_complex), mode, repr(member), widest)
    return replace(program, linear=True)


METHODS: dict[str, Callable[[Sequence[Level], Layout, str], Program]] = {
    "groups": channel_groups,
    "blocks": time_blocks,
    "bits": index_bits,
    "paper": paper_levels,
}
"""Programs of a chain of levels in a layout, by name."""
