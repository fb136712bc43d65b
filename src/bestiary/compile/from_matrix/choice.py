"""A structured matrix compiled: the construction that is asked for, or the best of those tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from bestiary.compile.compiling import Compiled, compile_program
from bestiary.compile.from_matrix.given import Given, biased, given_matrix
from bestiary.compile.from_matrix.programs import (
    METHODS,
    NotLookedFor,
    direct_matrix_program,
    matrix_program,
)
from bestiary.compile.optimize import Optimize
from bestiary.compile.program import Mode, Program
from bestiary.compile.real_part import real_part
from bestiary.compile.report import parameters_of
from bestiary.compile.rows import Rows
from bestiary.errors import UserError, unknown_name
from bestiary.structured import StructuredMatrix

CHOICES = ("auto", "direct", *METHODS)
"""What ``method`` takes."""
MOST_DIRECT = 64
"""Channels of a direct form that are worth trying beside a chain of factors, unless d is more."""


def matrix(
    matrix: Any,
    d: int = 1,
    mode: Mode = "causal",
    method: str = "groups",
    radix: int = 2,
) -> Compiled:
    """The stack that multiplies by ``matrix`` a vector given row by row, d numbers a row.

    matrix: a structured one; a square array or tensor, which is recognised; or a ButterflyLinear or
    KaleidoscopeLinear of as many features in as out, with its bias.

    The stack takes (batch, n/d, d) and gives the same; for complex entries (batch, n/d, 2d), each
    number as a pair (Re, Im) as in ``torch.view_as_real``. Equal to the dense product within 1e-10.

    mode: ``circular`` has a ring of as many rows as the matrix itself, where method is ``groups``
    or ``direct``. method:

    - ``groups``: groups of channels, the fewest layers, d' = 2d (8 for a complex number). radix:
      how many rows or channels a level may mix; r gives up to log2 r times fewer layers for
      d' = r·d.
    - ``blocks``: the groups as blocks of rows, d' = d; ``bits``: d' = d in twice the rows, by
      moving index bits, a little deeper.
    - ``paper``: as the paper does, d' = d.
    - ``direct``: from the dense matrix, where that is one filter (circulant, Toeplitz), one map for
      all rows, a few diagonals, or of low rank.
    - ``auto``, the default of the command line: of ``groups`` and a narrow ``direct`` the one of
      fewest non-zero numbers.

    ``UserError`` for a d that does not divide n or is no power of two, an unknown method, and what
    a method has no form for, ``NoStructure`` for an array that has no structure but by ``direct``,
    and ``auto`` where d is n.
    """
    if method not in CHOICES:
        raise unknown_name("method", method, CHOICES)
    return chosen(given_matrix(matrix, d, mode, method), d, mode, radix)[0]


def chosen(
    given: Given,
    d: int = 1,
    mode: Mode = "causal",
    radix: int = 2,
    *,
    name: str | None = None,
    optimize: Optimize | None = None,
) -> tuple[Compiled, str]:
    """``matrix``, and a sentence where ``auto`` left a form out, "" where it did not.

    name: what the program is called, before its method. optimize: see ``compile_program``.
    """
    programs, left_out = _programs(given.member, d, mode, given.method, radix, given.real)
    made = []
    for how, program in programs:
        program = _with_bias(program, given, d)
        called = program.name if name is None else f"{name}, {how}"
        made.append(compile_program(replace(program, name=called), optimize=optimize))
    return min(made, key=_numbers), left_out


def _with_bias(program: Program, given: Given, d: int) -> Program:
    """The program, and the bias of a layer added to its output."""
    if given.bias is None:
        return program
    if given.method == "paper":
        raise UserError(
            "method paper says in which layer everything stands and has none for a bias; compile "
            "layer.matrix()"
        )
    pairs = given.member.is_complex and not given.real
    rows = Rows.of(biased(given.bias, d, pairs=pairs))
    return replace(program, output=(program.output + rows).named("with bias"))


def _numbers(made: Compiled) -> int:
    """Entries of all weights that are not 0."""
    rows = made.stack.inner_length
    assert rows is not None
    return parameters_of(made.stack, rows).nonzero


def _programs(
    member: StructuredMatrix, d: int, mode: Mode, method: str, radix: int, real: bool
) -> tuple[list[tuple[str, Program]], str]:
    """What is worth compiling, by the name of its method, and what was left out.

    ``auto``: by groups, and directly where that is narrow, or where there is no chain of factors.
    """

    def direct(widest: int | None = None) -> Program:
        return direct_matrix_program(member, d, mode, widest, real=real)

    def levels(by: str) -> Program:
        if real and by != "groups":
            raise UserError(
                f"method {by} has no form for complex factors, of which the real {member!r} is a "
                "product; give method groups or direct"
            )
        program = matrix_program(member, d, mode, by, radix)
        return real_part(program) if real else program

    if method != "auto":
        return [(method, direct() if method == "direct" else levels(method))], ""
    groups = _or_why(lambda: levels("groups"))
    if isinstance(groups, UserError):
        if radix != 2:
            raise UserError(
                f"the radix is {radix}, but {member!r} is no product of levels that could be "
                "merged; it is compiled directly, without a radix"
            )
        return [("direct", direct())], ""
    narrow = _or_why(lambda: direct(max(MOST_DIRECT, d * (1 + (member.is_complex and not real)))))
    if not isinstance(narrow, UserError):
        return [("groups", groups), ("direct", narrow)], ""
    return [("groups", groups)], str(narrow) if isinstance(narrow, NotLookedFor) else ""


def _or_why(make: Callable[[], Program]) -> Program | UserError:
    try:
        return make()
    except UserError as error:
        return error
