"""Whether a folder is that of an experiment, which is told without loading what trains one."""

from __future__ import annotations

from pathlib import Path

from bestiary.errors import UserError

EXPERIMENT_FILE = "experiment.yaml"


def require_experiment(folder: Path) -> Path:
    """The path of the experiment.yaml in ``folder``; raises ``UserError`` where there is none."""
    path = folder / EXPERIMENT_FILE
    if not folder.is_dir():
        raise UserError(f"{str(folder)!r} is no folder (accepted: the --out of an experiment)")
    if not path.exists():
        raise UserError(f"{str(folder)!r} has no {EXPERIMENT_FILE}, so there is nothing to resume")
    return path
