"""The recurrent form equals the parallel one, wherever it is cut, and carries what it declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from bestiary.mixers.conformance.report import Failed, at
from bestiary.mixers.conformance.subject import (
    Subject,
    difference,
    expect_shape,
    recurrent,
    run,
)
from bestiary.mixers.protocol import RecurrentMixer, State

AGREEMENT = 1e-8
"""Relative difference allowed in float64 between a recurrence and another way to the same sums."""


def declared(subject: Subject) -> None:
    """state_size(length) is an int from 0 up; initial_state and step come together."""
    module = subject.build()
    size = getattr(module, "state_size", None)
    if not callable(size):
        raise Failed("there is no state_size(length)")
    for length in subject.lengths(1, 2, 16):
        value = size(length)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise Failed(f"state_size({length}) is {value!r}, not an int from 0 up")
    has = [name for name in ("initial_state", "step") if hasattr(module, name)]
    if len(has) == 1:
        raise Failed(f"there is {has[0]} alone; a recurrent form has initial_state and step")


def stepwise(subject: Subject) -> None:
    """Position by position gives what the whole sequence gives."""
    for variant, module in _variants(subject):
        mixer = recurrent(module)
        for length in subject.lengths(1, 2, 17, 33):
            with at(f"length {length}, {variant}"), torch.no_grad():
                x = subject.inputs(length)
                whole = run(module, x)
                stepped, _ = steps(mixer, x, mixer.initial_state(2))
                gap = difference(stepped, whole)
                if gap > AGREEMENT:
                    raise Failed(f"steps differ by {gap:.1e} (relative) from the parallel form")


def split(subject: Subject) -> None:
    """Two parts with the state carried give what the whole gives; the state can be used again."""
    length = subject.lengths(33)[0]
    for variant, module in _variants(subject):
        mixer = recurrent(module)
        x = subject.inputs(length)
        with torch.no_grad():
            whole = run(module, x)
            for cut in sorted({1, length // 2, length - 1} & set(range(1, length))):
                with at(f"cut after {cut} of {length} positions, {variant}"):
                    first, state = going_on(mixer, x[:, :cut], mixer.initial_state(2))
                    second, _ = going_on(mixer, x[:, cut:], state)
                    _expect_equal(torch.cat([first, second], dim=1), whole, "two parts")
                    again, _ = going_on(mixer, x[:, cut:], state)
                    _expect_equal(again, second, "the second part, run twice from one state,")
                    stepped, _ = steps(mixer, x[:, cut:], state)
                    _expect_equal(stepped, whole[:, cut:], "steps after a part in parallel")


def carried(subject: Subject) -> None:
    """The state holds exactly state_size(length) floating-point elements a sequence."""
    module = subject.build()
    mixer = recurrent(module)
    for batch in (1, 3):
        for length in subject.lengths(1, 2, 5, 17, 33):
            with at(f"after {length} positions, batch {batch}"), torch.no_grad():
                x = subject.inputs(length, batch)
                _, parallel = going_on(mixer, x, mixer.initial_state(batch))
                _expect_carried(parallel, mixer.state_size(length), batch, "in parallel")
                if length <= 17:
                    _, state = steps(mixer, x, mixer.initial_state(batch))
                    _expect_carried(state, mixer.state_size(length), batch, "by steps")


def steps(mixer: RecurrentMixer, x: Tensor, state: State) -> tuple[Tensor, State]:
    """Run ``mixer`` over x position by position."""
    outputs = []
    for x_t in x.unbind(dim=1):
        y_t, state = mixer.step(x_t, state)
        outputs.append(expect_shape(y_t, x_t))
    return torch.stack(outputs, dim=1), state


def going_on(mixer: RecurrentMixer, x: Tensor, state: State) -> tuple[Tensor, State]:
    """``forward(x, state)``, held to give outputs of x's shape and a state."""
    result: Any = mixer.forward(x, state)
    if not isinstance(result, tuple) or len(result) != 2:
        raise Failed("forward(x, state) does not return (outputs, new state)")
    return expect_shape(result[0], x), result[1]


def floats(state: State) -> Iterator[Tensor]:
    """The floating-point and complex tensors of a state; ints and integer tensors are skipped."""
    if isinstance(state, Tensor):
        if state.is_floating_point() or state.is_complex():
            yield state
    elif isinstance(state, Mapping):
        for part in state.values():
            yield from floats(part)
    elif isinstance(state, list | tuple):
        for part in state:
            yield from floats(part)
    elif state is not None and not isinstance(state, int):
        raise Failed(f"the state holds a {type(state).__name__}; use tensors, ints, tuples, dicts")


def _variants(subject: Subject) -> Iterator[tuple[str, nn.Module]]:
    recurrent(subject.build())
    return (pair for pair in subject.variants() if not pair[1].training)


def _expect_equal(got: Tensor, whole: Tensor, what: str) -> None:
    gap = difference(got, whole)
    if gap > AGREEMENT:
        raise Failed(f"{what} differ by {gap:.1e} (relative)")


def _expect_carried(state: State, size: int, batch: int, how: str) -> None:
    elements = 0
    for tensor in floats(state):
        if tensor.dim() == 0 or tensor.shape[0] != batch:
            raise Failed(f"a state tensor is {tuple(tensor.shape)}; the batch must come first")
        elements += tensor.numel() * (2 if tensor.is_complex() else 1)
    if elements != size * batch:
        raise Failed(f"{elements / batch:g} elements a sequence are carried {how}, {size} declared")
