"""Schedules of the fewest layers and, of those, of the fewest channels."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field, replace
from typing import Any

from bestiary.compile.arithmetic import arithmetic
from bestiary.compile.cell import Cell
from bestiary.compile.emit import inner_rows
from bestiary.compile.expression import Value
from bestiary.compile.fusion import cell_of
from bestiary.compile.optimize.model import Model, Plan, Problem, solver_library
from bestiary.compile.optimize.nodes import Node, nodes_of
from bestiary.compile.program import Program
from bestiary.compile.schedule import reading, schedule
from bestiary.compile.slack import most_wires
from bestiary.errors import UserError, counted

MOST_VARIABLES = 200_000
"""Past so many the solver would spend its time on reading the problem."""


@dataclass(frozen=True)
class Optimize:
    """How hard to look. seconds: at most, for the whole search. threads: of the solver."""

    seconds: float = 60.0
    threads: int = field(default_factory=lambda: min(8, os.cpu_count() or 1))

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise UserError(
                f"a search of {self.seconds} seconds was asked for; give more than 0 seconds"
            )
        if self.threads < 1:
            raise UserError(f"a solver of {self.threads} threads was asked for; give at least 1")


@dataclass(frozen=True)
class Found:
    """What the search gave.

    layers, channels, rows: of the schedule (rows: N'). least_layers: no schedule has fewer.
    least_channels: none of so many layers has fewer. least_rows: none with the delays of ``retime``
    has fewer, since the input has to fit, and what is read. heuristic: layers and channels without
    the search. seconds: it took.

    "No schedule": none that computes every value at most once, in one of the ways that ``nodes``
    looks at. N' is not searched for: ``retime`` chooses the delays, the smallest.
    """

    layers: int
    channels: int
    rows: int
    least_layers: int
    least_channels: int
    least_rows: int
    heuristic: tuple[int, int]
    seconds: float

    @property
    def layers_proven(self) -> bool:
        """Whether no schedule has fewer layers."""
        return self.layers == self.least_layers

    @property
    def channels_proven(self) -> bool:
        """Whether none of so few layers has fewer channels."""
        return self.layers_proven and self.channels == self.least_channels

    @property
    def rows_proven(self) -> bool:
        """Whether no delays give fewer rows."""
        return self.rows == self.least_rows

    def __str__(self) -> str:
        if self.channels_proven:
            proof = "proven optimal" + (f", as N' = {self.rows} is" if self.rows_proven else "")
        elif self.layers_proven:
            proof = f"layers proven optimal, channels at least {self.least_channels}"
        else:
            proof = f"not proven: at least {self.least_layers} layers"
        return (
            f"{counted(self.layers, 'layer')}, "
            f"{counted(self.channels, 'channel')} ({proof}; the heuristic has "
            f"{self.heuristic[0]} and {self.heuristic[1]}; {self.seconds:.1f} s)"
        )


def size_of(scheduled: Program) -> tuple[int, int]:
    """Layers and channels that a scheduled program takes."""
    layers = [value.layer or 0 for value in scheduled if isinstance(value, Cell)]
    return max(layers, default=1), most_wires(scheduled)


@arithmetic()
def schedule_optimally(program: Program, optimize: Optimize) -> tuple[Program, Found]:
    """A retimed program as cells in the fewest layers and channels found, and how good that is."""
    return Search(program, optimize).run()


class Search:
    """The best schedule so far, and what no schedule can beat."""

    def __init__(self, program: Program, optimize: Optimize) -> None:
        self.program, self.optimize = program, optimize
        self.library = solver_library()
        self.started = time.monotonic()
        self.best = schedule(program)
        self.heuristic = self.layers, self.channels = size_of(self.best)
        self.plan: Plan = {}
        outputs, self.given = nodes_of(program)
        self.problem = Problem.of(outputs, self.given)
        self.least_layers = self.problem.fewest_layers()
        self.least_channels = max(program.width, len(set(outputs)))

    def run(self) -> tuple[Program, Found]:
        """Fewer layers first, then fewer channels."""
        self._fewer_layers()
        self._fewer_channels()
        found = Found(
            layers=self.layers,
            channels=self.channels,
            rows=inner_rows(self.best),
            least_layers=min(self.layers, self.least_layers),
            least_channels=min(self.channels, self.least_channels),
            least_rows=self._least_rows(),
            heuristic=self.heuristic,
            seconds=time.monotonic() - self.started,
        )
        return self.best, found

    def _least_rows(self) -> int:
        if self.program.ring is not None:
            return self.program.ring
        return max(self.program.rows, self.program.window[1] + (self.program.output.delay or 0))

    def _fewer_layers(self) -> None:
        for layers in range(self.least_layers, self.layers):
            model = self._model(layers)
            if model is None:
                return
            status, solver = self._solve(model)
            if status in (self.library.OPTIMAL, self.library.FEASIBLE):
                self._take(model.plan(solver.value))
                return
            if status != self.library.INFEASIBLE:
                return
            self.least_layers = layers + 1

    def _fewer_channels(self) -> None:
        model = self._model(self.layers)
        if model is None or self.channels <= self.least_channels:
            return
        width = model.count_channels(self.least_channels, self.channels)
        model.cp.minimize(width)
        if self.plan:
            model.hint(self.plan)
        status, solver = self._solve(model)
        if status in (self.library.OPTIMAL, self.library.FEASIBLE):
            self.least_channels = max(self.least_channels, round(solver.best_objective_bound))
            self._take(model.plan(solver.value))
        elif status == self.library.INFEASIBLE:
            # No schedule that ``nodes`` looks at is as good as the one at hand.
            self.least_channels = self.channels

    def _model(self, layers: int) -> Model | None:
        """None where it would be too large."""
        spans = self.problem.latest(layers)
        first = self.problem.earliest()
        size = sum(
            len(node.forms) * max(0, spans[node] - first[node] + 1) for node in self.problem.nodes
        )
        return Model(self.problem, layers) if size <= MOST_VARIABLES else None

    def _solve(self, model: Model) -> tuple[Any, Any]:
        solver = self.library.CpSolver()
        left = self.optimize.seconds - (time.monotonic() - self.started)
        solver.parameters.max_time_in_seconds = max(0.1, left)
        solver.parameters.num_workers = self.optimize.threads
        return solver.solve(model.cp), solver

    def _take(self, plan: Plan) -> None:
        """A plan as cells, kept where it is better than the best so far."""
        made = self._scheduled(plan)
        size = size_of(made)
        if size < (self.layers, self.channels):
            self.best, (self.layers, self.channels) = made, size
        if size[0] == self.layers:
            self.plan = plan

    def _scheduled(self, plan: Plan) -> Program:
        wires: dict[Value, Value] = {**self.given}
        for node in self.problem.nodes:
            if node in plan:
                wires[node] = _cell(node, *plan[node], wires)
        return reading(self.program, [wires[node] for node in self.problem.outputs])


def _cell(node: Node, chosen: int, layer: int, wires: dict[Value, Value]) -> Cell:
    """A form of a node, over the wires that its nodes have become."""
    form = node.forms[chosen]
    placed = replace(
        form,
        gate={wires[wire]: weight for wire, weight in form.gate.items()},
        convolved=None if form.convolved is None else wires[form.convolved],
        name=node.name,
        delay=node.delay,
    )
    return cell_of(placed, layer)
