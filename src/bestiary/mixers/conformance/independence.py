"""What a result may depend on: its own sequence, the parameters and the seed; nothing else."""

from __future__ import annotations

import copy

import torch

from bestiary.mixers.conformance.report import Failed, at
from bestiary.mixers.conformance.subject import ROUNDING, Subject, difference, run, run_seeded


def batch(subject: Subject) -> None:
    """A row's result is the same whatever the other rows are, and however many."""
    length = min(16, subject.max_length)
    x, other = subject.inputs(length, 4), subject.inputs(length, 4, seed=1)
    mixed = torch.cat([x[:1], other[1:]])
    for variant, module in subject.variants():
        with at(variant), torch.no_grad():
            # In training mode the comparison is at one shape, where dropout can drop the same.
            together = run_seeded(module, x)
            gap = difference(run_seeded(module, mixed)[0], together[0])
            if gap > ROUNDING:
                raise Failed(f"a row moves by {gap:.1e} (relative) when other rows change")
            if module.training:
                continue
            gap = difference(run(module, x[:1])[0], together[0])
            if gap > ROUNDING:
                raise Failed(f"a row alone differs by {gap:.1e} (relative) from it among 4")


def determinism(subject: Subject) -> None:
    """Equal calls give equal bits in eval mode, and in training mode from torch's same seed."""
    x = subject.inputs(min(16, subject.max_length), dtype=torch.float32)
    module = subject.build(torch.float32)
    with torch.no_grad():
        if not torch.equal(run(module, x), run(module, x)):
            raise Failed("two calls in eval mode differ")
        twin = subject.build(torch.float32)
        mine, its = module.state_dict(), twin.state_dict()
        for name in mine:
            if name not in its or not torch.equal(mine[name], its[name]):
                raise Failed(f"{name} differs between two mixers made from the same torch seed")
        if not torch.equal(run(module, x), run(twin, x)):
            raise Failed("two mixers made from the same torch seed give different outputs")
        # Copies, since training mode may change buffers (running statistics).
        first, second = (run_seeded(copy.deepcopy(module).train(), x) for _ in range(2))
        if not torch.equal(first, second):
            raise Failed("two calls in training mode differ though torch's seed is the same")


def untouched(subject: Subject) -> None:
    """The input tensor is not written to."""
    x = subject.inputs(min(16, subject.max_length), dtype=torch.float32)
    kept = x.clone()
    with torch.no_grad():
        run(subject.build(torch.float32), x)
    if not torch.equal(x, kept):
        raise Failed("the input was changed in place")
