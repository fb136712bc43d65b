"""One run from its config to its folder, in the process that trains it.

Every executor calls ``execute``; it never raises for what goes wrong inside a run, because one
run that fails must fail alone.
"""

from __future__ import annotations

import dataclasses
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from bestiary.atomic import write_with
from bestiary.errors import UserError
from bestiary.models import LanguageModel, ModelConfig, build_model
from bestiary.runs.compiled_model import CompiledModel
from bestiary.runs.compiled_run import measure_compiled
from bestiary.runs.environment import environment
from bestiary.runs.job import Job
from bestiary.runs.run_folder import DONE, Busy, RunFolder, RunStatus, now
from bestiary.runs.sinks import Sink, log_test, open_sinks
from bestiary.runs.summary import described_data, state_sizes
from bestiary.tasks.protocol import Task
from bestiary.training.allocator import keep_freed_memory
from bestiary.training.checkpoint import discard_checkpoint
from bestiary.training.evaluate import evaluate
from bestiary.training.history import Outcome, Progress
from bestiary.training.loop import train

Watch = Callable[[Progress], None]


def execute(job: Job, watch: Watch | None = None) -> RunStatus | None:
    """Train, measure and store one run; returns its status, None when another process has it.

    A run that is finished or diverged is left as it is. One that was interrupted goes on from
    its checkpoint; so does one that failed, since what stopped it (a full disk, a killed
    process) is usually outside of it. A KeyboardInterrupt passes through, recorded.
    """
    folder = RunFolder(job.folder)
    try:
        with folder.locked():
            before = folder.status()
            if before.status in DONE:
                return before
            # Between the lock and here ``running`` can only be what a killed process left.
            start = dataclasses.replace(
                before,
                status="running",
                reason=None,
                started=before.started or now(),
                ended=None,
            )
            folder.write_status(start)
            status = _attempt(job, folder, start, watch)
            folder.write_status(status)
            return status
    except Busy:
        return None


def _attempt(job: Job, folder: RunFolder, start: RunStatus, watch: Watch | None) -> RunStatus:
    began = time.monotonic()
    try:
        outcome = _outcome(job, folder, watch)
    except KeyboardInterrupt:
        folder.write_status(_stopped(start, "interrupted", "stopped before it could save", began))
        raise
    except Exception as error:
        folder.note(traceback.format_exc())
        return _stopped(start, "failed", reason_of(error), began)
    return dataclasses.replace(
        start,
        status=outcome.status,
        step=outcome.step,
        steps=outcome.steps,
        seconds=outcome.seconds,
        reason=outcome.reason,
        ended=now(),
    )


def _stopped(start: RunStatus, status: Any, reason: str, began: float) -> RunStatus:
    seconds = start.seconds + time.monotonic() - began
    return dataclasses.replace(start, status=status, reason=reason, seconds=seconds, ended=now())


def reason_of(error: BaseException) -> str:
    """Why a run failed, in one sentence."""
    said = " ".join(str(error).split())
    if isinstance(error, UserError):
        return said
    if isinstance(error, OSError) and error.errno and error.filename:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, MemoryError) or "can't allocate memory" in said:
        return "out of memory; take a smaller batch or model, or fewer workers"
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _outcome(job: Job, folder: RunFolder, watch: Watch | None) -> Outcome:
    run = job.run
    if run.training.allocator:
        keep_freed_memory()
    torch.set_num_threads(run.training.threads)
    folder.write_config(run)
    folder.write_environment(environment(run))
    task = run.build_task()
    with open_sinks(job) as sinks:
        if isinstance(run.model, CompiledModel):
            return measure_compiled(job, run.model, folder, task, sinks, watch)
        return _train_and_measure(job, run.model, folder, task, sinks, watch)


def _train_and_measure(
    job: Job,
    config: ModelConfig,
    folder: RunFolder,
    task: Task,
    sinks: Sequence[Sink],
    watch: Watch | None,
) -> Outcome:
    run = job.run
    model = build_model(config, task.vocab_size, task.max_length, run.seed)
    told = _Told(sinks, watch)
    outcome = train(model, task, run.training, run.seed, folder.path, told)
    folder.write_history(outcome.history)
    folder.write_summary(summary(config.name, model, task))
    if outcome.status == "finished":
        _measure(job, folder, model, task, sinks, outcome.step)
    if outcome.status in DONE:
        discard_checkpoint(folder.checkpoint)
    return outcome


def _measure(
    job: Job, folder: RunFolder, model: nn.Module, task: Task, sinks: Sequence[Sink], step: int
) -> None:
    """Store validation and test metrics by slice, then the weights."""
    training = job.run.training
    measured = {
        split: evaluate(model, task, split, training.batch_size, training.dtype)
        for split in ("validation", "test")
    }
    folder.write_results([row for one in measured.values() for row in one.slices()])
    log_test(sinks, step, measured["test"].total)
    save_weights(folder.path / "model.safetensors", model)


def save_weights(path: Path, model: nn.Module) -> None:
    """Write the weights as safetensors, atomically; shared tensors are stored once."""
    from safetensors.torch import save_model

    write_with(path, lambda part: save_model(model, str(part)))


def summary(label: str, model: LanguageModel, task: Task) -> dict[str, Any]:
    """What summary.json holds of a trained model: its sizes, and what there is of the data."""
    return {
        "label": label,
        "parameters": model.parameter_count,
        **state_sizes(model, task),
        "d_model": model.config.d_model,
        "mixers": [spec.label for spec in model.config.layer_mixers],
        **described_data(task),
    }


class _Told:
    """Passes progress on to the sinks and to whoever watches."""

    def __init__(self, sinks: Sequence[Sink], watch: Watch | None) -> None:
        self._sinks = sinks
        self._watch = watch

    def __call__(self, progress: Progress) -> None:
        for row in progress.rows:
            split = row["split"]
            values = {f"{split}/{name}": row[name] for name in ("loss", "accuracy", "all_correct")}
            for sink in self._sinks:
                sink.log(row["step"], {**values, "learning_rate": row["learning_rate"]})
        if self._watch is not None:
            self._watch(progress)
