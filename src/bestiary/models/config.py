"""The architecture of a language model, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, get_args

from bestiary.errors import UserError
from bestiary.mixers.registry import MixerSpec

Positions = Literal["learned", "none"]


def as_spec(given: str | Mapping[str, Any] | MixerSpec) -> MixerSpec:
    """``"hyena"`` or ``{"name": "hyena", "order": 2}`` as a ``MixerSpec``."""
    if isinstance(given, MixerSpec):
        return given
    if isinstance(given, str):
        return MixerSpec(given)
    options = dict(given)
    name = options.pop("name", None)
    if not isinstance(name, str):
        raise UserError(f"a mixer needs a name, not {dict(given)!r}")
    return MixerSpec(name, options)


@dataclass(frozen=True)
class ModelConfig:
    """Pre-norm blocks of (mixer, optional MLP) between a tied embedding and head.

    d_model: width. n_layers: blocks. mixers: one entry a layer, or a pattern that is repeated
    until n_layers is reached (its length must divide n_layers).
    mlp_expansion: hidden width of the MLP over d_model; 0 leaves the MLP out.
    positions: ``learned`` adds a position embedding at the input, ``none`` adds nothing (mixers
    with positions of their own, such as rotary attention, need none).
    embedding_std: standard deviation of token and position embeddings at the start.
    label: what tables call this model; made from the mixers when empty.
    """

    d_model: int = 64
    n_layers: int = 2
    mixers: tuple[MixerSpec, ...] = (MixerSpec("attention"),)
    mlp_expansion: float = 0.0
    positions: Positions = "learned"
    embedding_std: float = 0.3
    label: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "mixers", tuple(as_spec(m) for m in self.mixers))
        if self.d_model < 1:
            raise UserError(f"d_model is {self.d_model}; it must be at least 1")
        if self.n_layers < 1:
            raise UserError(f"n_layers is {self.n_layers}; it must be at least 1")
        if not (self.mlp_expansion >= 0 and isfinite(self.mlp_expansion)):
            raise UserError(f"mlp_expansion is {self.mlp_expansion}; it must be 0 or more")
        if not (self.embedding_std > 0 and isfinite(self.embedding_std)):
            raise UserError(f"embedding_std is {self.embedding_std}; it must be above 0")
        if self.positions not in get_args(Positions):
            listed = ", ".join(get_args(Positions))
            raise UserError(f"positions is {self.positions!r} (accepted: {listed})")
        if not self.mixers or self.n_layers % len(self.mixers):
            raise UserError(
                f"{len(self.mixers)} mixers cannot fill {self.n_layers} layers evenly; "
                "give one a layer, or a pattern whose length divides n_layers"
            )

    @property
    def layer_mixers(self) -> tuple[MixerSpec, ...]:
        """The mixer of each layer, the pattern repeated."""
        return self.mixers * (self.n_layers // len(self.mixers))

    @property
    def name(self) -> str:
        """``label``, or the distinct mixers joined by ``+`` in the order of layers."""
        return self.label or "+".join(dict.fromkeys(m.label for m in self.mixers))
