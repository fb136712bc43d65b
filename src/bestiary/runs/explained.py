"""What is explained: a compiled program, one input of it and what a person knows of that input."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bestiary.errors import UserError, counted
from bestiary.mixers.conformance.report import describe
from bestiary.runs.compiled_model import CompiledModel
from bestiary.solvers.protocol import SolverModel
from bestiary.solvers.usable import usable_model
from bestiary.solvers.working import HasWorkings, Working
from bestiary.tasks.protocol import IGNORE, Batch, Split, Task

if TYPE_CHECKING:
    from bestiary.compile.compiling import Compiled

Names = tuple[tuple[str, ...], ...]
"""Of numbers by row and channel, "" where there is none; nothing where channels' names say all."""


@dataclass(frozen=True)
class Query:
    """A position that is scored.

    row: of the query. value: the row of the token that has to be said, None where it is found
    nowhere. key: of the same token as the query's before it, None where it is asked for by its
    place. label: what has to be said. said: what the model says.
    """

    row: int
    label: int
    said: int
    key: int | None = None
    value: int | None = None

    @property
    def distance(self) -> int | None:
        """How many rows above the query its key is."""
        return None if self.key is None else self.row - self.key

    @property
    def by_place(self) -> bool:
        """Whether it asks for what stands in a row, and not for what followed a token."""
        return self.key is None and self.value is not None


@dataclass(frozen=True)
class Explained:
    """A compiled program on one input, or a model without one that tells its steps itself.

    name: of the program, as tables call it. about: what the input is, in a sentence. compiled:
    None where there are ``workings`` in its place. inputs: (N, d) float64, of a program. tokens: of
    the example, one a row, or none. marks: what each is there for, such as ``k1``. queries: by row.
    meanings: what values are, by the word their names have in common. answers: (rows, bits), what
    the head adds up, where there is one. input_names, output_names: of the numbers that lie row by
    row, where each has a name of its own.
    """

    name: str
    about: str
    compiled: Compiled | None
    inputs: NDArray[np.float64]
    tokens: tuple[int, ...] = ()
    marks: tuple[str, ...] = ()
    queries: tuple[Query, ...] = ()
    meanings: Mapping[str, str] = field(default_factory=dict)
    answers: NDArray[np.float64] | None = None
    workings: tuple[Working, ...] = ()
    input_names: Names = ()
    output_names: Names = ()


def explained_example(model: CompiledModel, task: Task, split: Split, example: int) -> Explained:
    """A compiled solver on example number ``example`` of a split, over all its segments.

    ``UserError`` for an example that is not there and for a solver that has no program and does
    not tell its steps.
    """
    batch = _example(task, split, example)
    built = usable_model(model.spec, task)
    tokens = torch.from_numpy(batch.tokens)
    said = built(tokens)[0].argmax(-1).numpy()
    common = Explained(
        name=model.name,
        about=f"Example {example} of {split}: {batch.tokens.shape[1]} tokens.",
        compiled=built.compiled,
        inputs=np.empty((0, 0)),
        tokens=tuple(batch.tokens[0].tolist()),
        marks=_marks(task, batch),
        queries=queries_of(batch.tokens[0], batch.labels[0], said, _copied(task, batch)),
        meanings=getattr(built, "meanings", {}),
    )
    if built.compiled is None:
        return replace(common, workings=_workings(model.name, built, tokens))
    stack_input = getattr(built, "stack_input", None)
    if stack_input is None:
        raise UserError(
            f"{model.name} does not say what its stack is given for tokens; its model needs a "
            "method stack_input(tokens)"
        )
    sums = getattr(built, "answers", None)
    return replace(
        common,
        inputs=_asked(model.name, "stack_input", stack_input, tokens)[0].double().numpy(),
        answers=None
        if sums is None
        else _asked(model.name, "answers", sums, tokens)[0].double().numpy(),
    )


def _workings(name: str, built: SolverModel, tokens: Tensor) -> tuple[Working, ...]:
    """The steps of a model without a stack; ``UserError`` where it does not tell them."""
    if not isinstance(built, HasWorkings):
        raise UserError(
            f"{name} is not compiled from a program and does not tell its steps, so there is "
            "nothing to show (accepted: a model with a compiled stack, or with a method "
            "workings(tokens))"
        )
    told = tuple(_asked(name, "workings", built.workings, tokens))
    if not told or not all(isinstance(step, Working) for step in told):
        raise UserError(
            f"{name} tells {told!r} by workings(tokens); it must be one "
            "bestiary.solvers.working.Working or more"
        )
    for step in told:
        shape = (tokens.shape[1], len(step.names))
        needed = f"{counted(shape[0], 'row')} and {counted(shape[1], 'name')} need {shape}"
        if np.shape(step.numbers) != shape:
            raise UserError(
                f"{name} tells numbers of shape {np.shape(step.numbers)} in its step "
                f"{step.title!r}; {needed}"
            )
    return told


def _asked(name: str, method: str, function: Callable[[Tensor], Any], tokens: Tensor) -> Any:
    """What a model's method gives; ``UserError`` where one of a person's own fails."""
    try:
        return function(tokens)
    except (UserError, MemoryError):
        raise
    except Exception as error:
        raise UserError(
            f"{name} cannot be explained: {method}(tokens) raises {describe(error)} (--debug shows "
            "where)"
        ) from error


def queries_of(
    tokens: Sequence[int] | NDArray[np.int64],
    labels: NDArray[np.int64],
    said: NDArray[np.int64],
    copied: NDArray[np.int64] | None = None,
) -> tuple[Query, ...]:
    """The scored positions, each with the latest earlier place where its answer can be read off.

    copied: of each position the row that it asks for, where it asks for a place and not for what
    followed a token.
    """
    found = []
    for row in np.flatnonzero(labels != IGNORE).tolist():
        label, key = int(labels[row]), None
        if copied is not None:
            value: int | None = int(copied[row])
        else:
            key = next(
                (
                    j
                    for j in range(row - 1, -1, -1)
                    if tokens[j] == tokens[row] and tokens[j + 1] == label
                ),
                None,
            )
            value = None if key is None else key + 1
        found.append(Query(row, label, int(said[row]), key, value))
    return tuple(found)


def _copied(task: Task, batch: Batch) -> NDArray[np.int64] | None:
    """Where what each position of a batch of one asks for stands, or None where it has a key."""
    gap = batch.info.get("gap")
    if gap is None or getattr(task, "answer_follows", True):
        return None
    return np.arange(batch.tokens.shape[1]) - gap[0]


def _example(task: Task, split: Split, example: int) -> Batch:
    """Batch of one."""
    segments = task.stream(split).segments
    total = sum(segment.examples for segment in segments)
    if not 0 <= example < total:
        raise UserError(f"there is no example {example}; {split} has examples 0 to {total - 1:,}")
    for number, segment in enumerate(segments):
        if example < segment.examples:
            return task.stream(split).examples(number, range(example, example + 1))
        example -= segment.examples
    raise AssertionError(example)


def _marks(task: Task, batch: Batch) -> tuple[str, ...]:
    """``k1``, ``v1``, ``q1``; of a task that does not say, a question mark at what is asked."""
    roles = getattr(task, "roles", None)
    if roles is not None:
        return tuple(token.mark for token in roles(batch, 0))
    return tuple("?" if label != IGNORE else "." for label in batch.labels[0])
