"""All checks of a mixer, in the order in which their failures are best read."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from bestiary.errors import UserError
from bestiary.mixers.conformance import (
    causality,
    gradients,
    independence,
    outputs,
    recurrence,
    storage,
)
from bestiary.mixers.conformance.report import (
    NotApplicable,
    Report,
    Result,
    Status,
    WrongShape,
    describe,
)
from bestiary.mixers.conformance.subject import Subject, is_recurrent, quiet
from bestiary.mixers.registry import make_mixer, mixer_class


@dataclass(frozen=True)
class Check:
    """A law and the function that raises ``Failed`` where a subject breaks it."""

    name: str
    law: str
    run: Callable[[Subject], None]


CHECKS: tuple[Check, ...] = (
    Check("shape", "the output has the shape of the input", outputs.shape),
    Check("causality", "outputs up to t don't move with inputs after t", causality.forward),
    Check("causal gradient", "nor have a derivative by them", causality.gradient),
    Check("lengths", "any length from 1 up, odd and prime too", outputs.lengths),
    Check("prefix", "outputs stay when the sequence goes on", outputs.prefix),
    Check("batch", "a row doesn't depend on other rows", independence.batch),
    Check("dtypes", "float32, bfloat16, float64: kept, finite, close", outputs.dtypes),
    Check("determinism", "equal seeds and inputs give equal bits", independence.determinism),
    Check("input kept", "the input is not written to", independence.untouched),
    Check("gradients", "reach the input and every parameter, finite", gradients.flow),
    Check("gradcheck", "agree with finite differences in float64", gradients.numerical),
    Check("training", "a few steps at lengths 16, 63, 65", gradients.training),
    Check("storage", "state_dict through safetensors, to the bit", storage.round_trip),
    Check("state size", "declared as an int from 0 up", recurrence.declared),
    Check("stepwise", "position by position equals all at once", recurrence.stepwise),
    Check("split", "two parts with the state carried equal the whole", recurrence.split),
    Check("carried", "the state holds what is declared", recurrence.carried),
)


def check(
    mixer: str | type[nn.Module],
    options: Mapping[str, Any] | None = None,
    *,
    d_model: int = 16,
    max_length: int = 96,
    seed: int = 0,
    device: str = "cpu",
    watch: Callable[[Result], None] | None = None,
) -> Report:
    """Hold a mixer to the protocol's laws, each by itself; nothing it raises gets out.

    mixer: a class, a registered name or ``package.module:Class``. options: for its constructor.
    max_length: the longest length tried, passed on where the constructor takes it; an option of
    that name wins. watch: called with each result as it comes. The global torch generator is left
    as it was. Raises ``UserError`` when the mixer can't be found or made.
    """
    if isinstance(mixer, str):
        name, cls = mixer, mixer_class(mixer)
    else:
        name, cls = f"{mixer.__module__}:{mixer.__qualname__}", mixer
    given = dict(options or {})
    max_length = _positive("max_length", given.get("max_length", max_length))
    d_model = _positive("d_model", d_model)
    _expect_device(device)

    def construct() -> nn.Module:
        return make_mixer(name, cls, given, d_model, max_length)

    subject = Subject(construct, d_model, max_length, seed, device)
    with quiet(device):
        # Once before any check, so that a mistake in the options is told as one.
        made = construct()
        results: list[Result] = []
        misshapen = False
        for item in CHECKS:
            if misshapen:
                result = Result(item.name, item.law, "not run", "needs outputs of the right shape")
            else:
                result, error = _result(item, subject)
                misshapen = item.run is outputs.shape and isinstance(error, WrongShape)
            results.append(result)
            if watch is not None:
                watch(result)
    return Report(name, given, d_model, max_length, is_recurrent(made), tuple(results))


def _result(item: Check, subject: Subject) -> tuple[Result, Exception | None]:
    start = time.perf_counter()
    status: Status = "passed"
    raised: Exception | None = None
    try:
        item.run(subject)
    except NotApplicable as error:
        status, raised = "not applicable", error
    except Exception as error:
        status, raised = "failed", error
    reason = "" if raised is None else describe(raised)
    return Result(item.name, item.law, status, reason, time.perf_counter() - start), raised


def _positive(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UserError(f"{name} is {value!r}; it must be an int of at least 1")
    return value


def _expect_device(device: str) -> None:
    try:
        torch.empty(0, device=device)
    except Exception as error:
        cuda = torch.cuda.device_count()
        raise UserError(
            f"device {device!r} cannot be used (accepted: cpu, or cuda where torch sees a GPU; "
            f"it sees {cuda})"
        ) from error
