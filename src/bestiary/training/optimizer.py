"""AdamW and which weights it decays."""

from __future__ import annotations

import torch
from torch import nn

from bestiary.training.config import TrainingConfig


def decayed_names(model: nn.Module) -> set[str]:
    """Names of the parameters that decay: weights of ``nn.Linear`` and nothing else.

    Norms, biases and embeddings set scales that decay would fight, and a mixer's own parameters
    (filters, decays, gates) mean something other than a matrix that could grow too large.
    """
    return {
        f"{name}.weight" if name else "weight"
        for name, module in model.named_modules()
        if isinstance(module, nn.Linear)
    }


def adamw(model: nn.Module, config: TrainingConfig) -> torch.optim.AdamW:
    """AdamW (Loshchilov and Hutter 2019, arXiv 1711.05101) with betas 0.9 and 0.999.

    Its two groups are the decayed parameters and the rest. All tensors are updated in one fused
    call: a small model's update is otherwise mostly the cost of calling.
    """
    decayed = decayed_names(model)
    named = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    groups = [
        {"params": [p for n, p in named if n in decayed], "weight_decay": config.weight_decay},
        {"params": [p for n, p in named if n not in decayed], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(
        [group for group in groups if group["params"]], lr=config.learning_rate, fused=True
    )


def set_learning_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    """Use ``rate`` for the next update of every group."""
    for group in optimizer.param_groups:
        group["lr"] = rate
