"""Tasks, one a file; each depends on numpy alone."""

from bestiary.tasks.protocol import IGNORE, SPLITS, Batch, Split, Stream, StreamSegment, Task
from bestiary.tasks.registry import TASKS, build_task, task_class

__all__ = [
    "IGNORE",
    "SPLITS",
    "TASKS",
    "Batch",
    "Split",
    "Stream",
    "StreamSegment",
    "Task",
    "build_task",
    "task_class",
]
