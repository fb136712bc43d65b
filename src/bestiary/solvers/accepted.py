"""Which tasks a solver takes, and in how large a size."""

from __future__ import annotations

from bestiary.errors import UserError
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.protocol import Task

MOST_TOKENS, MOST_LENGTH = 2**16, 1024


def accepted_task(name: str, task: Task) -> MQAR:
    """``task`` where solver ``name`` takes it; ``UserError`` for another one or a larger one."""
    if not isinstance(task, MQAR):
        raise UserError(
            f"compiled:{name} cannot solve {type(task).__name__} (accepted: the task mqar)"
        )
    for size, value, most in (
        ("vocab_size", task.vocab_size, MOST_TOKENS),
        ("length", task.max_length, MOST_LENGTH),
    ):
        if value > most:
            raise UserError(
                f"compiled:{name} takes a {size} of up to {most:,}; the task has {value:,}"
            )
    return task
