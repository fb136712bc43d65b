"""A structured matrix as a program, by the name of a construction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import torch

from bestiary.compile.from_matrix.chain import chain
from bestiary.compile.from_matrix.channel_groups import channel_groups
from bestiary.compile.from_matrix.direct import direct_program, one_filter
from bestiary.compile.from_matrix.index_bits import index_bits
from bestiary.compile.from_matrix.layout import Layout
from bestiary.compile.from_matrix.level import Level, check_radix, merged
from bestiary.compile.from_matrix.paper import paper_levels
from bestiary.compile.from_matrix.time_blocks import time_blocks
from bestiary.compile.program import Mode, Program
from bestiary.errors import UserError, unknown_name
from bestiary.structured import StructuredMatrix


def matrix_program(
    member: StructuredMatrix,
    d: int = 1,
    mode: Mode = "causal",
    method: str = "groups",
    radix: int = 2,
) -> Program:
    """The program of one method, of ``METHODS`` or ``direct``; see ``matrix``.

    ``UserError`` for ``auto``, which compares several.
    """
    if method not in (*METHODS, "direct"):
        raise unknown_name("method", method, (*METHODS, "direct"))
    if method == "direct":
        return direct_matrix_program(member, d, mode)
    levels = chain(member)
    layout = Layout.of(member.n, levels[0].size, d, pairs=member.is_complex, mode=mode)
    cost = layout.layers if method == "groups" else len
    # The paper takes the factors one by one, at joints too.
    levels = levels if method == "paper" else merged(levels, check_radix(radix), cost)
    return replace(METHODS[method](levels, layout, repr(member)), degree=1)


class NotLookedFor(UserError):
    """The matrix is larger than those in which direct forms are looked for."""


def direct_matrix_program(
    member: StructuredMatrix,
    d: int = 1,
    mode: Mode = "causal",
    widest: int | None = None,
    *,
    real: bool = False,
) -> Program:
    """The program of method ``direct``, d channels of the real part alone with ``real``.

    ``UserError`` where every form has more than ``widest`` channels; ``NotLookedFor`` for a matrix
    of more than ``LARGEST_DIRECT`` real rows, unless it is one filter, told without dense entries.
    """
    if member.stack:
        raise UserError(
            f"a stack of {member.stack} matrices cannot be compiled at once; give one member of it"
        )
    member = member.to(torch.complex128 if member.is_complex else torch.float64)
    pairs = member.is_complex and not real
    if d == 1 and not pairs and (alone := one_filter(member, mode)) is not None:
        return replace(alone, degree=1)
    rows = member.n * (1 + pairs)
    if rows > LARGEST_DIRECT:
        raise NotLookedFor(
            f"{member!r} has {rows} rows of real numbers; direct forms are looked for in up to "
            f"{LARGEST_DIRECT}"
        )
    # A complex matrix is a real one on pairs (Re, Im), twice the channels.
    dense = (member.real_form() if pairs else member.dense().real).detach().numpy()
    program = direct_program(dense, d * (1 + pairs), mode, repr(member), widest)
    return replace(program, degree=1)


LARGEST_DIRECT = 4096
"""Rows of a real matrix in whose dense entries direct forms are looked for: 128 MiB of them."""

METHODS: dict[str, Callable[[Sequence[Level], Layout, str], Program]] = {
    "groups": channel_groups,
    "blocks": time_blocks,
    "bits": index_bits,
    "paper": paper_levels,
}
"""Programs of a chain of levels in a layout, by name."""
