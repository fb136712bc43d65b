"""The compiler: the passes in order, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bestiary.compile.allocate import allocate
from bestiary.compile.cell import Cell
from bestiary.compile.emit import emit
from bestiary.compile.optimize import Found, Optimize, schedule_optimally
from bestiary.compile.program import Program
from bestiary.compile.retime import retime
from bestiary.compile.schedule import schedule
from bestiary.compile.simplify import simplify
from bestiary.errors import UserError
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

    stages: the program after each pass, by the name of the pass. found: what a search for the best
    schedule gave, where one was asked for.
    """

    source: Program
    stages: dict[str, Program]
    stack: BaseConvStack
    found: Found | None = None

    def __repr__(self) -> str:
        """The program in a line and the stack in a few, not every value and weight."""
        search = "" if self.found is None else f"\nschedule: {self.found}"
        source = self.source
        return (
            f"Compiled {source.name}: {source.rows} × {source.width}, {len(source)} values, "
            f"stages {', '.join(self.stages)}{search}\n{self.stack!r}"
        )

    @property
    def placed(self) -> Program:
        """The program whose every value is a cell with a layer and a channel."""
        return self.stages["allocate"]


def compile_program(
    program: Program, *, optimize: Optimize | None = None, in_step: bool = False
) -> Compiled:
    """The BaseConv stack that computes ``program``, in float64.

    optimize: search for the schedule of the fewest layers, then channels, in place of the heuristic
    one; for programs of up to a few hundred operations. in_step: see ``schedule``. A program that
    is written as cells, each with its layer, is allocated and emitted as it is. ``UserError`` where
    the program cannot be a stack: see the passes.
    """
    if not isinstance(program, Program):
        raise UserError(
            f"{type(program).__name__} cannot be compiled; give a Program: Program((u,), y, rows=N)"
        )
    if program.output.width == 0:
        raise UserError(
            f"the output of {program.name} has 0 channels; a stack gives 1 channel or more"
        )
    stages: dict[str, Program] = {}
    found, last = None, program
    written = any(isinstance(value, Cell) for value in program)
    if written and optimize is not None:
        raise UserError(
            f"{program.name} says in which layer everything stands, so there is no schedule to "
            "search for; leave optimize out"
        )
    for name, run in PASSES.items():
        if written and name != "allocate":
            pass
        elif name == "schedule" and optimize is not None:
            last, found = schedule_optimally(last, optimize)
        elif name == "schedule" and in_step:
            last = schedule(last, in_step)
        else:
            last = run(last)
        stages[name] = last
    return Compiled(program, stages, emit(last), found)
