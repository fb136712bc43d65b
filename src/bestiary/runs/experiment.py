"""An experiment from its config to a folder of finished runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bestiary.errors import UserError, counted
from bestiary.models.config import ModelConfig
from bestiary.runs import documents
from bestiary.runs.compiled_model import CompiledModel
from bestiary.runs.config import Experiment, RunConfig
from bestiary.runs.events import Ended, Event, Notify
from bestiary.runs.executors import build_executor
from bestiary.runs.experiment_folder import EXPERIMENT_FILE, require_experiment
from bestiary.runs.job import Job
from bestiary.runs.run_folder import DONE, RunFolder, RunStatus
from bestiary.runs.sinks import require_sinks
from bestiary.runs.sweep import expand
from bestiary.runs.tuning import FILE as TUNING_FILE
from bestiary.runs.tuning import Tuning, read_tuning, tune_from_runs
from bestiary.termination import sigterm_raises


@dataclass
class Plan:
    """The runs of an experiment and the folder they go to.

    runs: all of them. chosen: those to be trained now (a shard of a cluster job has fewer).
    """

    experiment: Experiment
    folder: Path
    runs: list[RunConfig]
    chosen: list[RunConfig]
    tuning: Tuning | None = None
    untuned: list[str] = field(default_factory=list)

    def run_folder(self, run: RunConfig) -> RunFolder:
        """The folder of one run."""
        return RunFolder(self.folder / "runs" / run.run_id)

    @property
    def unfinished(self) -> list[RunConfig]:
        """The chosen runs that are neither finished nor diverged."""
        return [run for run in self.chosen if self.run_folder(run).status().status not in DONE]

    def statuses(self) -> dict[str, RunStatus]:
        """run_id → status of the chosen runs."""
        return {run.run_id: self.run_folder(run).status() for run in self.chosen}


@dataclass(frozen=True)
class Outcome:
    """What became of the chosen runs of a plan."""

    counts: Counter[str]
    failed: dict[str, str]

    @property
    def ok(self) -> bool:
        """Whether every run gave a result (``diverged`` is one)."""
        return all(status in DONE for status in self.counts)


def make_plan(
    experiment: Experiment,
    folder: Path,
    only: Sequence[str] = (),
    shard: tuple[int, int] | None = None,
) -> Plan:
    """Expand ``experiment``; ``only`` and ``shard`` choose some of its runs.

    only: run ids, unambiguous beginnings of them, or indices into the expansion (from 0).
    shard: (k, n), the k-th (from 1) of n parts; the parts of one n make up the whole.
    """
    tuning = read_tuning(Path(experiment.tuning)) if experiment.tuning else None
    rates = tuning.rates() if tuning else {}
    runs = expand(experiment, rates)
    chosen = _only(runs, only) if only else runs
    if shard:
        part, parts = shard
        if not 1 <= part <= parts:
            raise UserError(
                f"there is no part {part}/{parts} (accepted: 1/{parts} to {parts}/{parts})"
            )
        chosen = chosen[part - 1 :: parts]
    names = dict.fromkeys(run.model.name for run in runs if isinstance(run.model, ModelConfig))
    untuned = [name for name in names if name not in rates] if tuning else []
    return Plan(experiment, folder, runs, chosen, tuning, untuned)


def parse_shard(text: str | None) -> tuple[int, int] | None:
    """``2/8`` as (2, 8); raises ``UserError``."""
    if text is None:
        return None
    part, slash, parts = text.partition("/")
    if not (slash and part.isdecimal() and parts.isdecimal() and int(parts)):
        raise UserError(f"--shard is {text!r}; it must be a part of a number of parts, such as 2/8")
    return int(part), int(parts)


def _only(runs: list[RunConfig], only: Sequence[str]) -> list[RunConfig]:
    chosen: dict[str, RunConfig] = {}
    for name in only:
        if name.isdecimal():
            found = runs[int(name) : int(name) + 1]
        else:
            found = [run for run in runs if run.run_id.startswith(name)]
            found = [run for run in found if run.run_id == name] or found
        if len(found) != 1:
            what = "no run" if not found else f"{len(found)} runs"
            raise UserError(
                f"{what} of this experiment is {name!r} (accepted: an index from 0 to "
                f"{len(runs) - 1}, or a run id as `--list` prints them)"
            )
        chosen[found[0].run_id] = found[0]
    return list(chosen.values())


def run_plan(plan: Plan, notify: Notify | None = None, force: bool = False) -> Outcome:
    """Train what is not finished yet; a second call, or process, goes on where the first is.

    Raises ``UserError`` before anything is trained when a model cannot be used or the folder
    holds another experiment (``force``: add to it). KeyboardInterrupt (for SIGTERM
    ``Terminated``, which is one) is raised on after the running ones saved their checkpoints.
    """
    pending = plan.unfinished
    executor = build_executor(plan.experiment.executor)
    require_sinks(plan.experiment.sinks)
    refuse_folder(plan, force)
    if pending:
        executor.prepare()
        refuse_unusable(pending)
    prepare_folder(plan, force)
    jobs = [
        Job(run, plan.run_folder(run).path.absolute(), tuple(plan.experiment.sinks))
        for run in pending
    ]
    ended: dict[str, Ended] = {}

    def listen(event: Event) -> None:
        if isinstance(event, Ended):
            ended[event.run_id] = event
        if notify:
            notify(event)

    if jobs:
        with sigterm_raises():
            executor.execute(jobs, listen)
    return _outcome(plan, ended)


def _outcome(plan: Plan, ended: dict[str, Ended]) -> Outcome:
    counts: Counter[str] = Counter()
    failed: dict[str, str] = {}
    for run_id, status in plan.statuses().items():
        # Where the disk was full the folder may not say what the executor saw.
        heard = ended.get(run_id)
        name, reason = status.status, status.reason
        if heard and name not in DONE:
            name, reason = heard.status, heard.reason  # type: ignore[assignment]
        counts[name] += 1
        if name not in DONE:
            failed[run_id] = reason or name
    return Outcome(counts, failed)


def refuse_unusable(runs: Sequence[RunConfig]) -> None:
    """Raise ``UserError`` when a mixer of ``runs`` cannot be built, or is no causal mixer.

    So do a device that is not there, a compiled model that cannot solve its task, and one of a
    person's own that cannot be built or scored: what would fail in every run is said before the
    first.
    """
    from bestiary.mixers.conformance import refuse_if_unusable
    from bestiary.mixers.registry import build_mixer
    from bestiary.models import build_model
    from bestiary.solvers.registry import build_solver
    from bestiary.solvers.usable import usable_model
    from bestiary.training.device import resolve_device

    for device in {run.training.device for run in runs}:
        resolve_device(device)
    checked: set[str] = set()
    for run in runs:
        task = run.build_task()
        if isinstance(run.model, CompiledModel):
            # Those that come with Bestiary can be built, which may take its time.
            refuse = usable_model if ":" in run.model.compiled else build_solver
            asked = f"{run.model.spec!r} {task!r}"
            if asked not in checked:
                checked.add(asked)
                refuse(run.model.spec, task)
            continue
        for spec in run.model.layer_mixers:
            what = f"{spec!r} {run.model.d_model} {task.max_length}"
            if what not in checked:
                checked.add(what)
                mixer = build_mixer(spec, run.model.d_model, task.max_length)
                refuse_if_unusable(mixer, run.model.d_model, task.max_length)
        whole = f"{run.model!r} {task.vocab_size} {task.max_length}"
        if whole not in checked:
            checked.add(whole)
            build_model(run.model, task.vocab_size, task.max_length, run.seed)


def refuse_folder(plan: Plan, force: bool) -> None:
    """Raise ``UserError`` where the folder is a file, or holds runs that are not of this plan."""
    wanted = {run.run_id for run in plan.runs}
    if plan.folder.exists() and not plan.folder.is_dir():
        raise UserError(f"{str(plan.folder)!r} is a file; --out must be a folder")
    there = {path.parent.name for path in plan.folder.glob("runs/*/status.json")}
    others = sorted(there - wanted)
    if others and not force:
        count = counted(len(others), "run")
        raise UserError(
            f"{str(plan.folder)!r} holds {count} of another experiment, such as {others[0]} "
            "(accepted: another --out, or --force to add to it)"
        )


def prepare_folder(plan: Plan, force: bool) -> None:
    """Make the experiment folder with experiment.yaml and tuning.yaml.

    Raises ``UserError`` when it already holds runs that are not of this plan.
    """
    refuse_folder(plan, force)
    runs_folder = plan.folder / "runs"
    try:
        runs_folder.mkdir(parents=True, exist_ok=True)
        plain = plan.experiment.plain()
        if plan.tuning:
            documents.write(plan.folder / TUNING_FILE, plan.tuning.plain())
            plain["tuning"] = TUNING_FILE
        documents.write(plan.folder / EXPERIMENT_FILE, plain)
    except PermissionError as error:
        raise UserError(
            f"{str(plan.folder)!r} may not be written by this user (accepted: another --out)"
        ) from error


def tune_plan(plan: Plan, runs: Sequence[Mapping[str, Any]], command: str) -> Tuning:
    """The rates of the plan's models by ``runs``, rows of ``store.collect`` of its folder.

    Runs of the same points at other rates count too, and models that the folder's tuning file
    has from before are kept: what was added to a folder is one search.
    """
    points = {run.point for run in plan.runs}
    own = [row for row in runs if row["point"] in points]
    tuning = tune_from_runs(own, command, plan.experiment.plain())
    path = plan.folder / TUNING_FILE
    return tuning.added_to(read_tuning(path)) if path.exists() else tuning


def load_experiment(folder: Path) -> Experiment:
    """The experiment of an experiment folder, its tuning file found beside it."""
    path = require_experiment(folder)
    experiment = Experiment.read(documents.read_mapping(path), str(path))
    return with_tuning_near(experiment, folder)


def with_tuning_near(experiment: Experiment, folder: Path) -> Experiment:
    """The experiment with its relative ``tuning`` path read from ``folder``."""
    if experiment.tuning is None:
        return experiment
    return experiment.model_copy(update={"tuning": str(folder / experiment.tuning)})
