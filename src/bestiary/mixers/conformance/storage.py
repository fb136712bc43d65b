"""Everything a mixer has learned is in its state_dict, and fits into a safetensors file."""

from __future__ import annotations

import safetensors.torch
import torch

from bestiary.mixers.conformance.report import Failed
from bestiary.mixers.conformance.subject import Subject, disturbed, run


def round_trip(subject: Subject) -> None:
    """state_dict → safetensors → a mixer made from another seed: the same bits come out."""
    module = disturbed(subject.build(torch.float32), 0.1, subject.seed)
    x = subject.inputs(min(16, subject.max_length), dtype=torch.float32)
    state = {name: value.contiguous() for name, value in module.state_dict().items()}
    stored = safetensors.torch.save(state)
    other = subject.build(torch.float32, seed=3)
    other.load_state_dict(safetensors.torch.load(stored))
    with torch.no_grad():
        if not torch.equal(run(module, x), run(other, x)):
            raise Failed("a mixer with the weights loaded gives other outputs than the one saved")
