"""Where runs are trained: processes on this machine, or a Ray cluster."""

from __future__ import annotations

from bestiary.runs.config import LocalExecutor, RayExecutor
from bestiary.runs.executors.protocol import Executor


def build_executor(config: LocalExecutor | RayExecutor) -> Executor:
    """The executor of a config; raises ``UserError`` when its package is not installed."""
    if isinstance(config, RayExecutor):
        from bestiary.runs.executors.ray import RayTasks

        return RayTasks(config.address, config.workers)
    from bestiary.runs.executors.local import LocalProcesses

    return LocalProcesses(config.workers)


__all__ = ["Executor", "build_executor"]
