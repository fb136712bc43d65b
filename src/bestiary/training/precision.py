"""Number formats of a training: what the weights are kept in and what products are done in."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import torch


def weight_dtype(dtype: str) -> torch.dtype:
    """What weights and the optimizer's moments are kept in; float32 under ``bfloat16``."""
    return torch.float64 if dtype == "float64" else torch.float32


def autocast(device: torch.device, dtype: str) -> AbstractContextManager[object]:
    """Do matrix products in bfloat16 when ``dtype`` says so, else change nothing."""
    if dtype == "bfloat16":
        return torch.autocast(device.type, dtype=torch.bfloat16)
    return nullcontext()
