"""A run of a compiled model: nothing is trained, and the same test examples are scored."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from typing import cast

from torch import nn

from bestiary.runs.compiled_model import CompiledModel
from bestiary.runs.job import Job
from bestiary.runs.run_folder import RunFolder
from bestiary.runs.sinks import Sink, log_test
from bestiary.runs.summary import described_data, state_sizes
from bestiary.solvers.usable import usable_model
from bestiary.tasks.protocol import Split, Task
from bestiary.training.device import resolve_device
from bestiary.training.evaluate import evaluate
from bestiary.training.history import Outcome, Progress
from bestiary.training.metrics import Evaluation
from bestiary.training.precision import weight_dtype

SCORED: tuple[Split, ...] = ("validation", "test")


def measure_compiled(
    job: Job,
    config: CompiledModel,
    folder: RunFolder,
    task: Task,
    sinks: Sequence[Sink],
    watch: Callable[[Progress], None] | None = None,
) -> Outcome:
    """Build the model, score it on validation and test and store what a trained run stores.

    There are no weights among it: config.yaml makes the same ones again.
    """
    run = job.run
    began = time.monotonic()
    model = usable_model(config.spec, task)
    dtype = run.training.dtype
    module = cast(nn.Module, model).to(resolve_device(run.training.device), weight_dtype(dtype))
    scored = _Scored(task, watch)
    measured: list[Evaluation] = []
    notes: list[str] = []
    for split in SCORED:
        measured.append(
            evaluate(module, task, split, run.training.batch_size, dtype, told=scored.add)
        )
        # Those of the last split stay: notes stand beside numbers of the test.
        notes = model.take_notes()
    seconds = time.monotonic() - began
    size = model.size
    folder.write_summary(
        {
            "label": config.name,
            "parameters": size.parameters,
            **state_sizes(model, task),
            "d_model": size.width,
            "mixers": [config.name],
            "compiled": {**dataclasses.asdict(size), "notes": notes},
            **described_data(task),
        }
    )
    folder.write_results([row for one in measured for row in one.slices()])
    for note in notes:
        folder.note(note)
    log_test(sinks, 0, measured[-1].total)
    return Outcome("finished", 0, 0, [], seconds, "")


class _Scored:
    """Tells whoever watches how many examples were scored, in the place of steps."""

    def __init__(self, task: Task, watch: Callable[[Progress], None] | None) -> None:
        self._watch = watch
        self._counts = {
            split: sum(one.examples for one in task.stream(split).segments) for split in SCORED
        }
        self._began = time.monotonic()

    def add(self, so_far: Evaluation) -> None:
        """After a batch of a split."""
        if self._watch is None:
            return
        before = SCORED[: SCORED.index(so_far.split)]
        total = so_far.total
        done = sum(self._counts[split] for split in before) + total.examples
        speed = done / max(time.monotonic() - self._began, 1e-9)
        self._watch(
            Progress(done, sum(self._counts.values()), total.mean_loss, total.accuracy, speed)
        )
