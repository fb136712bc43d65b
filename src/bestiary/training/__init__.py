"""Training and measuring one model on one task."""

from bestiary.training.config import TrainingConfig
from bestiary.training.evaluate import evaluate
from bestiary.training.history import HistoryRow, Outcome, Progress
from bestiary.training.loop import train
from bestiary.training.metrics import Evaluation, SliceRow

__all__ = [
    "Evaluation",
    "HistoryRow",
    "Outcome",
    "Progress",
    "SliceRow",
    "TrainingConfig",
    "evaluate",
    "train",
]
