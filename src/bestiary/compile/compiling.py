"""The compiler: the passes in order, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bestiary.compile.allocate import allocate
from bestiary.compile.emit import emit
from bestiary.compile.program import Program
from bestiary.compile.retime import retime
from bestiary.compile.schedule import schedule
from bestiary.compile.simplify import simplify
from bestiary.mixers.base_conv_stack import BaseConvStack

PASSES: dict[str, Callable[[Program], Program]] = {
    "simplify": simplify,
    "retime": retime,
    "schedule": schedule,
    "allocate": allocate,
}
"""Each gives a program that means the same; the last one's cells are the weights of the stack."""


@dataclass(frozen=True)
class Compiled:
    """A program and the stack that computes it.

    stages: the program after each pass, by the name of the pass.
    """

    source: Program
    stages: dict[str, Program]
    stack: BaseConvStack

    @property
    def placed(self) -> Program:
        """The program whose every value is a cell with a layer and a channel."""
        return self.stages["allocate"]


def compile_program(program: Program) -> Compiled:
    """The BaseConv stack that computes ``program``, in float64.

    ``UserError`` where the program cannot be one: see the passes.
    """
    stages: dict[str, Program] = {}
    last = program
    for name, run in PASSES.items():
        last = stages[name] = run(last)
    return Compiled(program, stages, emit(last))
