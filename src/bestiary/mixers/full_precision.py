"""Keep autocast away from what must not be computed in few bits."""

from __future__ import annotations

import torch
from torch import Tensor


def full_precision(like: Tensor) -> torch.autocast:
    """A context in which products on the device of ``like`` keep the dtype of their factors.

    Filters are read at hundreds of positions: an error of bfloat16 in their making would be one in
    every output, while convolving with them costs float32 anyway.
    """
    return torch.autocast(like.device.type, enabled=False)
