"""Experiments: their configs, their runs, where these are trained and where they are kept.

What it offers is loaded when it is asked for: the configs know the mixers, and these load torch,
which takes seconds that a mistake found before should not wait for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bestiary.runs.config import Experiment, RunConfig
    from bestiary.runs.store import collect, collect_history, collect_results

__all__ = ["Experiment", "RunConfig", "collect", "collect_history", "collect_results"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "config" if name in ("Experiment", "RunConfig") else "store"
    return getattr(import_module(f"{__name__}.{module}"), name)
