"""A solver's model before it is scored: it has what is read of it, answers one example, and does
not read ahead.

Classes of a person's own are tried; those that come with Bestiary have their tests.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Sequence
from typing import Any, cast

import torch
from torch import Tensor, nn

from bestiary.errors import UserError
from bestiary.mixers.conformance.report import Failed, describe
from bestiary.solvers.causal import expect_causal_answers
from bestiary.solvers.protocol import Size, Solver, SolverModel
from bestiary.solvers.registry import SolverSpec, build_solver
from bestiary.tasks.protocol import Task

NEEDED = {
    "vocab_size": "vocab_size",
    "size": "size",
    "compiled": "compiled",
    "state_size": "state_size(length)",
    "take_notes": "take_notes()",
}


def usable_model(spec: SolverSpec, task: Task) -> SolverModel:
    """The model of a solver; one of a person's own is asked the first example of each length.

    Raises ``UserError`` in one sentence for what ``build_solver`` refuses, for a ``build`` that
    fails, for a model without what ``SolverModel`` names, for logits that cannot be scored, and for
    answers that depend on later tokens.
    """
    solver = build_solver(spec, task)
    if ":" not in spec.name:
        return solver.build()
    try:
        built = _built(solver)
        _expect_whole(built)
        lengths = sorted({segment.length for segment in task.stream("test").segments})
        _expect_sizes(built, lengths)
        _expect_answers(built, task)
    except Failed as failed:
        hint = " (--debug shows where)" if failed.__cause__ is not None else ""
        raise UserError(f"compiled model {spec.name!r} cannot be used: {failed}{hint}") from failed
    return cast(SolverModel, built)


def _built(solver: Solver) -> Any:
    try:
        return solver.build()
    except (UserError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        raise Failed(f"build() raises {describe(error)}") from error


def _expect_whole(built: Any) -> None:
    if not isinstance(built, nn.Module):
        raise Failed(f"build() gives a {type(built).__name__}, not a torch.nn.Module")
    # What is there and what it gives are two questions: a module calls a property that raises
    # an AttributeError one that it does not have.
    there = dir(built)
    missing = [told for name, told in NEEDED.items() if name not in there]
    if missing:
        raise Failed(
            f"build() gives a {type(built).__name__} without {', '.join(missing)} (accepted: a "
            f"torch.nn.Module with {', '.join(NEEDED.values())})"
        )


def _expect_sizes(built: Any, lengths: Sequence[int]) -> None:
    size = _read(built, "size")
    names = [field.name for field in dataclasses.fields(Size)]
    if not isinstance(size, Size):
        raise Failed(f"size is {size!r}; it must be a bestiary.solvers.Size({', '.join(names)})")
    for name in names:
        if not _is_count(getattr(size, name)):
            raise Failed(f"size.{name} is {getattr(size, name)!r}; it must be an int of at least 0")
    for length in lengths:
        state = _called(f"state_size({length})", built.state_size, length)
        if not _is_count(state):
            raise Failed(f"state_size({length}) is {state!r}; it must be an int of at least 0")
    compiled = _read(built, "compiled")
    if compiled is not None:
        from bestiary.compile.compiling import Compiled

        if not isinstance(compiled, Compiled):
            raise Failed(
                f"compiled is {compiled!r}; it must be what compile_program gives, or None"
            )


def _expect_answers(built: Any, task: Task) -> None:
    stream, vocab_size = task.stream("test"), task.vocab_size
    built.eval()
    for number, segment in enumerate(stream.segments):
        batch = stream.examples(number, range(1))
        tokens = torch.from_numpy(batch.tokens)
        positions = torch.from_numpy(batch.positions)
        with torch.inference_mode():
            some = _called("model(tokens, positions)", built, tokens, positions)
            every = _called("model(tokens)", built, tokens)
        _expect_logits("model(tokens, positions)", some, (len(positions), vocab_size), segment)
        _expect_logits("model(tokens)", every, (1, segment.length, vocab_size), segment)
        second = min(1, segment.examples - 1)
        other = stream.examples(number, range(second, second + 1))
        expect_causal_answers(built, tokens, torch.from_numpy(other.tokens), positions)
    # Those of what was tried are no notes of a run.
    notes = _called("take_notes()", built.take_notes)
    if not isinstance(notes, list) or not all(isinstance(note, str) for note in notes):
        raise Failed(f"take_notes() gives {notes!r}; it must be a list of sentences")


def _expect_logits(call: str, logits: Any, shape: tuple[int, ...], segment: Any) -> None:
    of = f"{call} gives"
    if not isinstance(logits, Tensor):
        raise Failed(f"{of} a {type(logits).__name__}, not a tensor of logits")
    if tuple(logits.shape) != shape:
        raise Failed(
            f"{of} logits of shape {tuple(logits.shape)} for an example of {segment.length} "
            f"tokens; it must be {shape}"
        )
    if not logits.is_floating_point():
        raise Failed(f"{of} logits of {logits.dtype}; they must be floating-point numbers")
    if bool(logits.isnan().any()):
        raise Failed(f"{of} logits that are not numbers (nan)")


def _read(built: Any, name: str) -> Any:
    static = inspect.getattr_static(built, name, None)
    getter = static.fget if isinstance(static, property) and static.fget else None
    return getattr(built, name) if getter is None else _called(name, getter, built)


def _called(what: str, function: Any, *given: Any) -> Any:
    try:
        return function(*given)
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:
        raise Failed(f"{what} raises {describe(error)}") from error


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
