"""Which theory speaks of a stack, by the mixers of its layers, and which was compiled."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bestiary.runs.compiled_model import PREFIX

GATED_CONVOLUTIONS = frozenset({"base_conv", "hyena", "h3", "short_conv"})
"""Mixers whose filters do not depend on the input (Zoology, arXiv 2312.04927, section 3)."""

ATTENTION = "attention"
LINEAR_ATTENTION = "based"


def layers_of(run: Mapping[str, Any]) -> tuple[str, ...]:
    """The mixer of each kind of layer of a row of ``store.collect``, by name or import path."""
    given = run.get("model.mixers")
    mixers = json.loads(given) if isinstance(given, str) else given or []
    return tuple(m if isinstance(m, str) else str(m.get("name")) for m in mixers)


def convolves_only(layers: Sequence[str]) -> bool:
    """Whether all layers are gated convolutions; a class of a user's is of no known kind."""
    return bool(layers) and all(name in GATED_CONVOLUTIONS for name in layers)


def attends(layers: Sequence[str]) -> bool:
    """Whether a layer has attention over the whole past."""
    return ATTENTION in layers


def linearly_attends(layers: Sequence[str]) -> bool:
    """Whether a layer has linear attention, and none attends over the whole past."""
    return LINEAR_ATTENTION in layers and not attends(layers)


def is_compiled(label: str) -> bool:
    """Whether a model was compiled and not trained: every name of such says so itself."""
    return label.startswith(PREFIX)


def any_trained(labels: Iterable[str]) -> bool:
    """Whether one of the models was trained: only then are there rates, seeds and steps."""
    return not all(map(is_compiled, labels))
