"""How one model is trained, as data."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Literal, get_args

from bestiary.errors import UserError

Dtype = Literal["float32", "bfloat16", "float64"]

MOST_THREADS = 1024
"""More than any machine has cores to spare for one training; torch fails far above it."""


@dataclass(frozen=True)
class TrainingConfig:
    """AdamW with warm-up, cosine decay and clipping, until the epochs end or validation is solved.

    learning_rate: the highest one, at the end of warm-up. weight_decay: of the weights of linear
    layers; nothing else decays. warmup: fraction of all steps over which the rate rises linearly
    from 0. clip: the largest norm that all gradients together may have.
    validate_every: optimizer steps between validations. stop_at: validation accuracy at which
    training ends early (None: never); only the validation stream is looked at.
    patience: validations without a better loss after which training ends (None: never).
    checkpoint_every: optimizer steps between checkpoints (0: only when interrupted).
    dtype: of weights and products; ``bfloat16`` keeps weights in float32 and multiplies in
    bfloat16. device: ``auto`` (CUDA where there is one), ``cpu``, ``cuda`` or ``cuda:n``.
    compile: run the model through torch.compile.
    threads: torch's intra-op threads in the training process. allocator: keep freed memory in
    the process (glibc's mallopt) instead of giving it back to the system at every step.
    """

    epochs: int = 16
    batch_size: int = 64
    learning_rate: float = 1e-3
    weight_decay: float = 0.1
    warmup: float = 0.1
    clip: float = 1.0
    validate_every: int = 100
    stop_at: float | None = 0.99
    patience: int | None = None
    checkpoint_every: int = 500
    dtype: Dtype = "float32"
    device: str = "auto"
    compile: bool = False
    threads: int = 1
    allocator: bool = True

    def __post_init__(self) -> None:
        stop_at, patience = self.stop_at, self.patience
        rate, decay = self.learning_rate, self.weight_decay
        rules = {
            "epochs": (self.epochs >= 1, "at least 1"),
            "batch_size": (self.batch_size >= 1, "at least 1"),
            "learning_rate": (rate > 0 and isfinite(rate), "above 0"),
            "weight_decay": (decay >= 0 and isfinite(decay), "0 or more"),
            "warmup": (0 <= self.warmup < 1, "a fraction from 0 to below 1"),
            "clip": (self.clip > 0, "above 0"),
            "validate_every": (self.validate_every >= 1, "at least 1"),
            "stop_at": (stop_at is None or 0 < stop_at <= 1, "an accuracy in (0, 1] or null"),
            "patience": (patience is None or patience >= 1, "at least 1 or null"),
            "checkpoint_every": (self.checkpoint_every >= 0, "0 or more"),
            "dtype": (self.dtype in get_args(Dtype), f"one of {', '.join(get_args(Dtype))}"),
            "threads": (1 <= self.threads <= MOST_THREADS, f"at least 1, at most {MOST_THREADS}"),
        }
        for name, (holds, accepted) in rules.items():
            if not holds:
                raise UserError(f"{name} is {getattr(self, name)}; it must be {accepted}")
