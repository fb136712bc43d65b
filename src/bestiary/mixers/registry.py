"""Names for the mixers that come with Bestiary; an import path always works in a name's place."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from bestiary.errors import unknown_name
from bestiary.imports import check_options, load_class

MIXERS: dict[str, str] = {
    "attention": "bestiary.mixers.attention:Attention",
    "sliding_window": "bestiary.mixers.sliding_window:SlidingWindow",
    "base_conv": "bestiary.mixers.base_conv:BaseConv",
    "hyena": "bestiary.mixers.hyena:Hyena",
    "h3": "bestiary.mixers.h3:H3",
    "based": "bestiary.mixers.based:Based",
    "short_conv": "bestiary.mixers.short_conv:ShortConv",
}


@dataclass(frozen=True)
class MixerSpec:
    """A mixer by name or import path, with the options its constructor gets."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The name as tables show it: the class name alone for an import path."""
        return self.name.rpartition(":")[2]


def mixer_class(name: str) -> type[nn.Module]:
    """The class behind a registered name or ``package.module:Class``."""
    if ":" in name:
        return load_class(name)
    if name not in MIXERS:
        raise unknown_name("mixer", name, [*MIXERS, "package.module:Class"])
    return load_class(MIXERS[name])


def build_mixer(spec: MixerSpec, d_model: int, max_length: int) -> nn.Module:
    """Make the mixer; ``max_length`` is passed on where the constructor takes it.

    Raises ``UserError`` for an option the constructor does not have, listing those it has.
    """
    cls = mixer_class(spec.name)
    check_options(cls, spec.options, f"mixer {spec.name!r}", skip=("d_model",))
    options = dict(spec.options)
    if "max_length" in inspect.signature(cls).parameters:
        options.setdefault("max_length", max_length)
    return cls(d_model, **options)
