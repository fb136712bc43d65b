"""Names for the mixers that come with Bestiary; an import path always works in a name's place."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from bestiary.errors import UserError, unknown_name
from bestiary.imports import check_options, load_class, not_made

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
    """The class behind a registered name or ``package.module:Class``.

    Raises ``UserError`` for a name that is not known and for a class that is no ``nn.Module``.
    """
    if ":" in name:
        loaded = load_class(name)
        if not issubclass(loaded, nn.Module):
            raise UserError(f"mixer {name!r} is a {loaded.__name__}, not a torch.nn.Module")
        return loaded
    if name not in MIXERS:
        raise unknown_name("mixer", name, [*MIXERS, "package.module:Class"])
    return load_class(MIXERS[name])


def build_mixer(spec: MixerSpec, d_model: int, max_length: int) -> nn.Module:
    """Make the mixer; ``max_length`` is passed on where the constructor takes it.

    Raises ``UserError`` for an option the constructor does not have, listing those it has, and for
    whatever else keeps it from being made.
    """
    return make_mixer(spec.name, mixer_class(spec.name), spec.options, d_model, max_length)


def make_mixer(
    name: str, cls: type, options: Mapping[str, Any], d_model: int, max_length: int
) -> nn.Module:
    """``build_mixer`` for a class at hand; ``name`` is what errors call it."""
    what = f"mixer {name!r}"
    check_options(cls, options, what, skip=("d_model",))
    given = dict(options)
    if "max_length" in inspect.signature(cls).parameters:
        given.setdefault("max_length", max_length)
    try:
        made = cls(d_model, **given)
    except UserError:
        raise
    except (Exception, SystemExit) as error:
        raise not_made(what, f"d_model={d_model}", given, error) from error
    if not isinstance(made, nn.Module):
        raise UserError(f"{what} is a {type(made).__name__}, not a torch.nn.Module")
    return made
