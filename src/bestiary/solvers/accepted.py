"""Which tasks a solver takes, and in how large a size."""

from __future__ import annotations

from typing import TypeVar

from bestiary.errors import UserError
from bestiary.tasks.associative_recall import AssociativeRecall
from bestiary.tasks.induction import Induction
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.protocol import Task
from bestiary.tasks.registry import name_of_task

MOST_TOKENS, MOST_LENGTH = 2**16, 1024

RecallTask = MQAR | AssociativeRecall | Induction
"""What is asked is the token that followed an earlier place of the token that asks."""

RECALL: tuple[type[RecallTask], ...] = (MQAR, AssociativeRecall, Induction)

T = TypeVar("T", bound=Task)


def accepted_recall(name: str, task: Task) -> RecallTask:
    """``task`` where it asks what followed a token; errors as ``accepted_task`` has them."""
    return accepted_task(name, task, RECALL)


def accepted_task(name: str, task: Task, kinds: tuple[type[T], ...]) -> T:
    """``task`` where solver ``name`` takes it; ``UserError`` for another one or a larger one."""
    if not isinstance(task, kinds):
        known = [name_of_task(kind) for kind in kinds]
        given = name_of_task(type(task))
        called = type(task).__name__ if ":" in given else given
        accepted = f"the task{'s' * (len(known) > 1)} {', '.join(known)}"
        raise UserError(f"compiled:{name} cannot solve {called} (accepted: {accepted})")
    for size, value, most in (
        ("vocab_size", task.vocab_size, MOST_TOKENS),
        ("length", task.max_length, MOST_LENGTH),
    ):
        if value > most:
            raise UserError(
                f"compiled:{name} takes a {size} of up to {most:,}; the task has {value:,}"
            )
    return task
