"""Experiments: their configs, their runs, where these are trained and where they are kept."""

from bestiary.runs.config import Experiment, RunConfig
from bestiary.runs.store import collect, collect_history, collect_results

__all__ = ["Experiment", "RunConfig", "collect", "collect_history", "collect_results"]
