"""Plans of a stack, made when first needed and dropped when its weights have changed."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from bestiary.mixers.base_conv_layer import BaseConvLayer
from bestiary.mixers.evaluation.plan import StackPlan
from bestiary.mixers.evaluation.tables import has_structure

MOST_PLANS = 4
PLANNED = (torch.float32, torch.float64, torch.bfloat16)


class PlanCache:
    """The plans of one stack, by the shape, dtype and device of the input.

    A plan leaves out what is 0 and does not multiply by 1, so it holds for the weights it was made
    of. Weights are seen to have changed by torch's count of writes to a tensor and by where its
    memory lies; what is written through ``.data`` is not counted.
    """

    def __init__(self) -> None:
        self.weights: list[Tensor] = []
        self.written: list[tuple[int, int]] = []
        self.possible = False
        self.plans: dict[tuple[Any, ...], StackPlan] = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> PlanCache:
        return PlanCache()

    def __getstate__(self) -> dict[str, Any]:
        return vars(PlanCache())

    def plan(
        self,
        layers: Sequence[BaseConvLayer],
        channels: Sequence[int],
        x: Tensor,
        rows: int,
        window: tuple[int, int],
    ) -> StackPlan | None:
        """The plan of a stack's layers for inputs like x, or None where it is to go without one.

        channels, window: the channels and rows that are read.
        """
        if torch.is_grad_enabled() or torch.compiler.is_compiling() or not len(x):
            return None
        self._look(layers)
        if not (self.possible and x.is_floating_point()):
            return None
        key = (x.shape[1:], rows, window, x.dtype, x.device)
        if key not in self.plans:
            for layer in layers:
                layer.check_rows(rows)
            if len(self.plans) >= MOST_PLANS:
                self.plans.pop(next(iter(self.plans)))
            shape = (x.shape[1], x.shape[2])
            self.plans[key] = StackPlan(layers, shape, rows, channels, window, x)
        return self.plans[key]

    def _look(self, layers: Sequence[BaseConvLayer]) -> None:
        """Start anew where weights are others than they were."""
        weights: list[Tensor] = []
        for layer in layers:
            _collect(layer, weights)
        counted = not any(p.is_inference() for p in weights)
        written = [(p.data_ptr(), p._version) for p in weights] if counted else []
        same = len(weights) == len(self.weights) and all(map(operator.is_, weights, self.weights))
        if same and written == self.written:
            return
        self.weights, self.written, self.plans = weights, written, {}
        self.possible = (
            counted
            and all(p.dtype in PLANNED for p in weights)
            and all(has_structure(layer) for layer in layers)
        )


def _collect(module: nn.Module, weights: list[Tensor]) -> None:
    """All parameters, by a walk that costs less than ``parameters()``: this runs at each call."""
    weights += [p for p in module._parameters.values() if p is not None]
    for child in module._modules.values():
        if child is not None:
            _collect(child, weights)
