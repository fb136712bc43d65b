"""How one model is trained, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from bestiary.errors import UserError

Dtype = Literal["float32", "bfloat16", "float64"]


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
        limits = (
            (("epochs", "batch_size", "validate_every", "threads"), 1, "at least 1"),
            (("patience",), 1, "at least 1 or null"),
            (("weight_decay", "checkpoint_every"), 0, "0 or more"),
        )
        for names, least, accepted in limits:
            for name in names:
                value = getattr(self, name)
                if value is not None and not value >= least:
                    raise UserError(f"{name} is {value}; it must be {accepted}")
        for name in ("learning_rate", "clip"):
            if not getattr(self, name) > 0:
                raise UserError(f"{name} is {getattr(self, name)}; it must be above 0")
        if self.dtype not in get_args(Dtype):
            raise UserError(f"dtype is {self.dtype!r} (accepted: {', '.join(get_args(Dtype))})")
        if not 0 <= self.warmup < 1:
            raise UserError(f"warmup is {self.warmup}; it must be a fraction from 0 to below 1")
        if self.stop_at is not None and not 0 < self.stop_at <= 1:
            raise UserError(f"stop_at is {self.stop_at}; it must be an accuracy in (0, 1] or null")
