"""How one model is trained, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bestiary.errors import UserError


@dataclass(frozen=True)
class TrainingConfig:
    """AdamW with warm-up, cosine decay and clipping, until the epochs end or validation is solved.

    warmup: fraction of all steps over which the rate rises linearly from 0.
    validate_every: optimizer steps between validations. stop_at: validation accuracy at which
    training ends early (None: never); only the validation stream is looked at.
    patience: validations without a better loss after which training ends (None: never).
    checkpoint_every: optimizer steps between checkpoints (0: only when interrupted).
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
    dtype: Literal["float32", "bfloat16", "float64"] = "float32"
    device: str = "auto"
    compile: bool = False
    threads: int = 1
    allocator: bool = True

    def __post_init__(self) -> None:
        for name in ("epochs", "batch_size", "validate_every", "threads"):
            if getattr(self, name) < 1:
                raise UserError(f"{name} is {getattr(self, name)}; it must be at least 1")
        for name in ("learning_rate", "clip"):
            if not getattr(self, name) > 0:
                raise UserError(f"{name} is {getattr(self, name)}; it must be above 0")
        if not 0 <= self.warmup < 1:
            raise UserError(f"warmup is {self.warmup}; it must be a fraction from 0 to below 1")
        if self.weight_decay < 0:
            raise UserError(f"weight_decay is {self.weight_decay}; it must be 0 or more")
        if self.checkpoint_every < 0:
            raise UserError(f"checkpoint_every is {self.checkpoint_every}; it must be 0 or more")
        if self.stop_at is not None and not 0 < self.stop_at <= 1:
            raise UserError(f"stop_at is {self.stop_at}; it must be an accuracy in (0, 1] or null")
        if self.patience is not None and self.patience < 1:
            raise UserError(f"patience is {self.patience}; it must be at least 1 or null")
