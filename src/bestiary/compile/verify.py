"""Whether a compiled stack computes what it should, and where it does not.

``agree`` is what every conversion asks of itself. ``verify`` says more: the error on each kind of
input in float64 and float32, what each layer adds to it, how large the numbers grow, and, where the
answer is wrong, the first value of the program that differs from what it means.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from bestiary.compile.cell import Cell
from bestiary.compile.compiling import Compiled
from bestiary.compile.interpret import Interpretation, interpret
from bestiary.compile.probes import probes
from bestiary.errors import UserError
from bestiary.mixers.base_conv_stack import BaseConvStack

Function = Callable[[Tensor], Tensor]
"""(batch, rows, width) float64 to (batch, rows read, channels read)."""

TOLERANCE = 1e-9
"""Largest relative error of a conversion in float64 (docs/theory.md, 'Hyena as BaseConv')."""

BY_LAYER = ("normal", "alternating", "large", "large among small")
"""Inputs whose numbers are followed layer by layer, where there are any of these; all of them would
take most of the time."""


@dataclass(frozen=True)
class LayerError:
    """One layer, 0 for the input: largest number in float64, and the relative error of float32."""

    layer: int
    largest: float
    float32_error: float


@dataclass(frozen=True)
class Difference:
    """A value of the program that the stack gets wrong.

    row: logical. found, expected: the two numbers.
    """

    value: str
    layer: int
    channel: int
    row: int
    found: float
    expected: float

    def __str__(self) -> str:
        return (
            f"{self.value}, row {self.row} (layer {self.layer}, channel {self.channel}): "
            f"{self.found:.6g} instead of {self.expected:.6g}"
        )


@dataclass(frozen=True)
class Verification:
    """What ``verify`` found.

    errors, float32_errors: largest relative error by kind of input. layers: the input, then each
    layer. tolerance: what ``ok`` asks of
    the float64 ones. first: the first value that differs, where the answer is wrong and the program
    is known. stage: the first pass after which the program means something else, or "". too_large,
    too_small: how many weights are infinite in float32, and how many lose digits there or are 0,
    being below its normal numbers.
    """

    errors: dict[str, float]
    float32_errors: dict[str, float]
    layers: tuple[LayerError, ...]
    tolerance: float
    first: Difference | None = None
    stage: str = ""
    too_large: int = 0
    too_small: int = 0

    @property
    def worst(self) -> float:
        """The largest relative error in float64."""
        return max(self.errors.values())

    @property
    def ok(self) -> bool:
        """Whether no error in float64 is above the tolerance; NaN never is in order."""
        return all(error <= self.tolerance for error in self.errors.values())

    @property
    def overflows(self) -> tuple[int, ...]:
        """Layers with numbers that float32 cannot hold."""
        most = torch.finfo(torch.float32).max
        return tuple(layer.layer for layer in self.layers if not layer.largest <= most)


def agree(
    stack: Function,
    reference: Function,
    rows: int,
    width: int,
    *,
    tolerance: float = TOLERANCE,
    what: str = "the compiled stack",
    inputs: Mapping[str, Tensor] | None = None,
) -> float:
    """The largest relative error over all probes, or over ``inputs`` by kind, in float64.

    ``UserError`` with the error and the kind of input where it is above ``tolerance`` or not a
    number.
    """
    worst = 0.0
    with torch.no_grad():
        for kind, batch in (probes(rows, width) if inputs is None else inputs).items():
            error = relative_error(stack(batch), reference(batch))
            if not math.isfinite(error):
                raise UserError(
                    f"{what} or its reference gives numbers that float64 cannot hold on inputs of "
                    f"kind {kind!r}, whose largest is {float(batch.abs().max()):.0e}; scale down "
                    "what it is made from"
                )
            if not error <= tolerance:
                raise UserError(
                    f"{what} differs from its reference by {error:.2e} relative to the largest "
                    f"output on inputs of kind {kind!r}; at most {tolerance:.0e} is allowed"
                )
            worst = max(worst, error)
    return worst


def verify(
    stack: BaseConvStack,
    reference: Function,
    rows: int,
    width: int,
    *,
    compiled: Compiled | None = None,
    tolerance: float = TOLERANCE,
    inputs: Mapping[str, Tensor] | None = None,
) -> Verification:
    """Compare a stack with a reference that is not its own program.

    rows, width: N and d of the input. compiled: the program, which lets a wrong answer be traced to
    the first value that differs. inputs: batches (batch, rows, width) by kind, in place of
    ``probes``.
    """
    double = copy.deepcopy(stack).double()
    single = copy.deepcopy(stack).float()
    errors, rounded = {}, {}
    batches = probes(rows, width) if inputs is None else inputs
    with torch.no_grad():
        for kind, batch in batches.items():
            expected = reference(batch)
            errors[kind] = relative_error(double(batch), expected)
            rounded[kind] = relative_error(single(batch.float()).double(), expected)
        followed = [batches[kind] for kind in BY_LAYER if kind in batches] or [*batches.values()]
        layers = tuple(_layers(double, single, torch.cat(followed)))
    large, small = _outside_float32(double)
    result = Verification(errors, rounded, layers, tolerance, too_large=large, too_small=small)
    if result.ok or compiled is None:
        return result
    worst = max(errors, key=lambda kind: (math.isnan(errors[kind]), errors[kind]))
    at = batches.get("normal", batches[worst])
    stage, first = first_fault(compiled, double, at, tolerance)
    return replace(result, first=first, stage=stage)


def _outside_float32(stack: BaseConvStack) -> tuple[int, int]:
    """Weights above the largest number of float32, and those that are not 0 below its normal ones.

    Compared in float64, so that no rounding decides.
    """
    limits = torch.finfo(torch.float32)
    large = small = 0
    for values in stack.parameters():
        sizes = values.detach().abs()
        large += int((sizes > limits.max).sum())
        small += int(((sizes > 0) & (sizes < limits.tiny)).sum())
    return large, small


def relative_error(found: Tensor, expected: Tensor) -> float:
    """max |found - expected| / max |expected|; the plain difference where all of expected is 0."""
    if found.shape != expected.shape:
        raise UserError(
            f"a stack gives an output of shape {tuple(found.shape)} and its reference one of "
            f"{tuple(expected.shape)}; they must be of one shape"
        )
    largest = float(expected.abs().max()) if expected.numel() else 0.0
    difference = float((found - expected).abs().max()) if found.numel() else 0.0
    return difference / largest if largest > 0 else difference


def first_fault(
    compiled: Compiled, stack: BaseConvStack, batch: Tensor, tolerance: float = TOLERANCE
) -> tuple[str, Difference | None]:
    """Where a wrong answer comes from: the pass that changed the meaning, or the first wrong value.

    ("", None) where every pass and every value is right: then the program is not what the reference
    computes.
    """
    inputs = batch.numpy()
    expected = interpret(compiled.source, inputs)
    for name, program in compiled.stages.items():
        if relative_error(_tensor(interpret(program, inputs)), _tensor(expected)) > tolerance:
            return name, None
    meaning = Interpretation(compiled.placed, inputs)
    arrays = list(layer_outputs(stack, batch))
    for cell in compiled.placed:
        if isinstance(cell, Cell):
            found = _difference(cell, meaning, arrays, tolerance)
            if found is not None:
                return "", found
    return "", None


def layer_outputs(stack: BaseConvStack, batch: Tensor) -> Iterator[Tensor]:
    """The padded input, then the whole array after each layer: (batch, N', d')."""
    rows = stack.inner_length or batch.shape[1] + stack.delay
    u = functional.pad(batch, (0, stack.width - batch.shape[2], 0, rows - batch.shape[1]))
    yield u
    for layer in stack.layers:
        u = layer(u)
        yield u


def _layers(double: BaseConvStack, single: BaseConvStack, batch: Tensor) -> Iterator[LayerError]:
    pairs = zip(layer_outputs(double, batch), layer_outputs(single, batch.float()), strict=True)
    for number, (exact, rounded) in enumerate(pairs):
        error = relative_error(rounded.double(), exact)
        yield LayerError(number, float(exact.abs().max()), error)


@np.errstate(over="ignore", invalid="ignore")
def _difference(
    cell: Cell, meaning: Interpretation, arrays: list[Tensor], tolerance: float
) -> Difference | None:
    assert cell.layer is not None and cell.channel is not None
    lo, hi = meaning.rows[id(cell)]
    array = arrays[cell.layer]
    delay = cell.delay or 0
    lo, hi = max(lo, -delay), min(hi, array.shape[1] - delay)
    if lo >= hi:
        return None
    expected = meaning.of(cell, lo, hi)[..., 0].astype(np.float64)
    found = array[:, lo + delay : hi + delay, cell.channel].detach().numpy()
    wrong = np.abs(found - expected)
    scale = max(1.0, float(np.abs(expected).max()))
    if wrong.max() <= tolerance * scale:
        return None
    example, row = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    return Difference(
        value=cell.name or "a value without a name",
        layer=cell.layer,
        channel=cell.channel,
        row=lo + int(row),
        found=float(found[example, row]),
        expected=float(expected[example, row]),
    )


def _tensor(array: object) -> Tensor:
    return torch.from_numpy(np.asarray(array, dtype=np.float64))
