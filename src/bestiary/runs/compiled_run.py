"""A run of a compiled model: nothing is trained, and the same test examples are scored."""

from __future__ import annotations

import dataclasses
import time
from typing import cast

import torch
from torch import nn

from bestiary.runs.compiled_model import CompiledModel
from bestiary.runs.environment import environment
from bestiary.runs.job import Job
from bestiary.runs.run_folder import RunFolder
from bestiary.runs.sinks import open_sinks
from bestiary.runs.summary import described_data, state_sizes
from bestiary.solvers.registry import build_solver
from bestiary.training.allocator import keep_freed_memory
from bestiary.training.device import resolve_device
from bestiary.training.evaluate import evaluate
from bestiary.training.history import Outcome
from bestiary.training.metrics import Evaluation


def measure_compiled(job: Job, config: CompiledModel, folder: RunFolder) -> Outcome:
    """Build the model, score it on validation and test and store what a trained run stores.

    There are no weights among it: config.yaml makes the same ones again.
    """
    run = job.run
    if run.training.allocator:
        keep_freed_memory()
    torch.set_num_threads(run.training.threads)
    folder.write_config(run)
    folder.write_environment(environment(run))
    task = run.build_task()
    began = time.monotonic()
    model = build_solver(config.spec, task).build()
    module = cast(nn.Module, model).to(resolve_device(run.training.device))
    measured: list[Evaluation] = []
    notes: list[str] = []
    for split in ("validation", "test"):
        measured.append(evaluate(module, task, split, run.training.batch_size))
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
    test = measured[-1].total
    for sink in open_sinks(job.sinks, folder.path, run):
        sink.log(0, {"test/accuracy": test.accuracy, "test/loss": test.mean_loss})
        sink.close()
    return Outcome("finished", 0, 0, [], seconds, "")
