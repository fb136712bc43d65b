"""How a sweep goes, drawn as bars on a terminal and told in lines elsewhere."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from bestiary.runs.compiled_model import CompiledModel
from bestiary.runs.config import RunConfig
from bestiary.runs.events import Advanced, Ended, Event, Notify, Started
from bestiary.runs.experiment import Plan
from bestiary.runs.tuning import rate_text


@contextlib.contextmanager
def shown(plan: Plan, console: Console) -> Iterator[Notify]:
    """Show the events of ``plan`` on ``console`` while the context lasts."""
    if console.is_terminal:
        with _Bars(plan, console) as bars:
            yield bars
    else:
        yield _Lines(plan, console)


def _titles(plan: Plan) -> dict[str, str]:
    """run_id → model and seed, with the rate and the run id where these do not tell runs apart."""
    said = {run.run_id: _seed_and_rate(run) for run in plan.runs}
    short = {run.run_id: f"{run.model.name}{said[run.run_id][0]}" for run in plan.runs}
    rated = {run.run_id: f"{run.model.name}{said[run.run_id][1]}" for run in plan.runs}
    for titles in (short, rated):
        if len(set(titles.values())) == len(titles):
            return titles
    return {run_id: f"{run_id}{rate}" for run_id, (_, rate) in said.items()}


def _seed_and_rate(run: RunConfig) -> tuple[str, str]:
    """The seed, and the rate before it; nothing for a compiled model, which has neither."""
    if isinstance(run.model, CompiledModel):
        return "", ""
    seed = f" seed {run.seed}"
    return seed, f" rate {rate_text(run.training.learning_rate)}{seed}"


def _ending(event: Ended) -> str:
    """``finished in 12 s``, with the reason of whatever else happened."""
    if event.status == "finished":
        return f"finished in {event.seconds:.0f} s"
    return f"{event.status}: {event.reason}"


def _is_over(event: Ended) -> bool:
    """Whether nothing more is to come of the run in this sweep; what was stopped goes on later."""
    return event.status != "interrupted"


class _Lines:
    """One line when a run starts and one when it ends."""

    def __init__(self, plan: Plan, console: Console) -> None:
        self._titles = _titles(plan)
        self._console = console
        self._total = len(plan.unfinished)
        self._ended = 0

    def __call__(self, event: Event) -> None:
        if isinstance(event, Started):
            self._say(f"{self._titles[event.run_id]}: started")
        elif isinstance(event, Ended):
            self._ended += _is_over(event)
            count = f"({self._ended} of {self._total})"
            self._say(f"{self._titles[event.run_id]}: {_ending(event)} {count}")

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, emoji=False, highlight=False, soft_wrap=True)


class _Bars:
    """A bar for all runs with the time left, and one for each that is being trained."""

    def __init__(self, plan: Plan, console: Console) -> None:
        self._titles = _titles(plan)
        self._console = console
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.fields[told]}", style="dim"),
            TimeElapsedColumn(),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=console,
            # Enough of the past to carry over the seconds in which a run starts or is measured.
            speed_estimate_period=300.0,
        )
        count = len(plan.unfinished)
        self._fractions: dict[str, float] = {}
        self._bars: dict[str, TaskID] = {}
        self._all = self._progress.add_task("all runs", total=count, told=f"0 of {count} runs")
        self._count = count
        self._ended = 0
        self._began = time.monotonic()

    def __enter__(self) -> _Bars:
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()

    def __call__(self, event: Event) -> None:
        title = self._titles[event.run_id]
        if isinstance(event, Started):
            self._fractions[event.run_id] = 0.0
            self._bars[event.run_id] = self._progress.add_task(title, total=None, told="starting")
        elif isinstance(event, Advanced):
            self._fractions[event.run_id] = event.step / max(event.steps, 1)
            told = f"{_share(event.accuracy)} right, {event.examples_per_second:,.0f} examples/s"
            bar = self._bars[event.run_id]
            self._progress.update(bar, completed=event.step, total=event.steps, told=told)
        else:
            self._ended += _is_over(event)
            if _is_over(event):
                self._fractions[event.run_id] = 1.0
            if event.run_id in self._bars:
                self._progress.remove_task(self._bars.pop(event.run_id))
            line = f"{title}: {_ending(event)}"
            self._console.print(line, markup=False, emoji=False, highlight=False)
        told = f"{self._ended} of {self._count} runs"
        self._progress.update(self._all, completed=sum(self._fractions.values()), told=told)


def _share(accuracy: float) -> str:
    return "—" if math.isnan(accuracy) else f"{accuracy:.0%}"
