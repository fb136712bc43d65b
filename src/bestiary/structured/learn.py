"""Learn a linear map from examples of its inputs and outputs, with a structured layer.

All examples at every step, without noise, so that a second-order method can be used: L-BFGS, which
estimates the curvature, needs several times fewer evaluations than Adam and ends at rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor
from torch.optim import LBFGS, Adam
from torch.optim.lr_scheduler import CosineAnnealingLR

from bestiary.errors import UserError, unknown_name
from bestiary.structured.kaleidoscope import Kaleidoscope
from bestiary.structured.layers import ButterflyLinear, KaleidoscopeLinear
from bestiary.structured.layers.linear import StructuredLinear

Method = Literal["lbfgs", "adam"]
METHODS: tuple[Method, ...] = get_args(Method)


@dataclass(frozen=True, slots=True)
class Learned:
    """rmse: root mean square error of the entries of the matrix; loss: mean square error of the
    outputs of the examples; evaluations: how often loss and gradient were computed.
    """

    rmse: float
    loss: float
    evaluations: int


def learn(
    layer: StructuredLinear,
    target: Callable[[Tensor], Tensor],
    *,
    examples: int | None = None,
    seed: int = 0,
    method: str = "lbfgs",
    evaluations: int = 1000,
    learning_rate: float = 0.02,
    tolerance: float = 1e-8,
) -> Learned:
    """Train ``layer`` on Gaussian vectors x and ``target(x)``, all of them at every step.

    ``target`` maps (..., in_features) to (..., out_features), linearly. ``examples`` are 4 a
    feature by default; fewer than in_features leave the map open. ``method``: ``lbfgs``, restarted
    without its memory when a line search fails, or ``adam``, with ``learning_rate`` falling to 0
    along a cosine. Ends after about ``evaluations`` of the loss, or as soon as the outputs have a
    root mean square error below ``tolerance``. Raises ``UserError`` for another method.
    """
    if method not in METHODS:
        raise unknown_name("method", method, METHODS)
    count = 4 * layer.in_features if examples is None else examples
    generator = torch.Generator().manual_seed(seed)
    dtype = layer.twiddle.dtype
    x = torch.randn(count, layer.in_features, dtype=dtype, generator=generator)
    with torch.no_grad():
        y = target(x)
    loss = _Loss(layer, x, y)
    if method == "lbfgs":
        _lbfgs(loss, evaluations, tolerance**2)
    else:
        _adam(loss, evaluations, tolerance**2, learning_rate)
    return Learned(rmse_of(layer, target), loss.best, loss.evaluations)


def rmse_of(layer: StructuredLinear, target: Callable[[Tensor], Tensor]) -> float:
    """Root mean square of |M[i, j] − T[i, j]| over the entries of the layer's matrix M."""
    with torch.no_grad():
        unit = torch.eye(layer.in_features, dtype=layer.twiddle.dtype)
        error = layer.dense().mT - target(unit)
        return float(error.abs().square().mean().sqrt())


class _Loss:
    """The mean square error, with its gradient, counted."""

    def __init__(self, layer: StructuredLinear, x: Tensor, y: Tensor) -> None:
        self.parameters = [p for p in layer.parameters() if p.requires_grad]
        self._layer, self._x, self._y = layer, x, y
        self.evaluations = 0
        self.best = math.inf

    def __call__(self) -> Tensor:
        for parameter in self.parameters:
            parameter.grad = None
        loss = (self._layer(self._x) - self._y).abs().square().mean()
        loss.backward()
        self.evaluations += 1
        self.best = min(self.best, loss.item())
        return loss


def _lbfgs(loss: _Loss, evaluations: int, goal: float) -> None:
    while loss.evaluations < evaluations:
        before = loss.best
        optimizer = LBFGS(
            loss.parameters,
            max_iter=evaluations,
            max_eval=evaluations - loss.evaluations,
            history_size=50,
            line_search_fn="strong_wolfe",
            tolerance_grad=0.0,
            tolerance_change=0.0,
        )
        optimizer.step(_until(loss, goal))
        if loss.best <= goal or loss.best >= before:
            return


def _until(loss: _Loss, goal: float) -> Callable[[], Tensor]:
    """The loss, with a gradient of 0 once it is below ``goal``, which makes the optimizer stop."""

    def evaluate() -> Tensor:
        value = loss()
        if value.item() <= goal:
            for parameter in loss.parameters:
                parameter.grad = torch.zeros_like(parameter)
        return value

    return evaluate


def _adam(loss: _Loss, evaluations: int, goal: float, learning_rate: float) -> None:
    optimizer = Adam(loss.parameters, lr=learning_rate)
    schedule = CosineAnnealingLR(optimizer, evaluations)
    while loss.evaluations < evaluations and loss.best > goal:
        loss()
        optimizer.step()
        schedule.step()


def learn_dft(
    n: int, seed: int, *, init: str = "orthogonal", method: str = "lbfgs", evaluations: int = 1000
) -> Learned:
    """Learn the unitary DFT of size n by a complex butterfly after a fixed bit reversal.

    Start and examples are drawn by ``seed``.
    """
    torch.manual_seed(seed)
    layer = ButterflyLinear(n, n, bias=False, init=init, bit_reversal=True, dtype=torch.complex128)

    def dft(x: Tensor) -> Tensor:
        return torch.fft.fft(x, norm="ortho")

    return learn(layer, dft, seed=seed, method=method, evaluations=evaluations)


def recover_permutation(
    start: Kaleidoscope, source: Tensor, noise: float, seed: int, *, evaluations: int = 1000
) -> tuple[Learned, bool]:
    """Learn y[i] = x[source[i]] from the kaleidoscope ``start`` with Gaussian noise on its entries.

    Returns what was learned, and whether the largest entry of every row is the right one.
    """
    if noise < 0:
        raise UserError(f"noise is {noise}; it is a standard deviation, at least 0")
    torch.manual_seed(seed)
    layer = KaleidoscopeLinear(
        start.n, start.n, bias=False, width=start.width, init=start, dtype=torch.float64
    )
    with torch.no_grad():
        layer.twiddle.add_(torch.randn_like(layer.twiddle), alpha=noise)

    def gather(x: Tensor) -> Tensor:
        return x[..., source]

    learned = learn(layer, gather, seed=seed, evaluations=evaluations)
    return learned, bool(torch.equal(layer.dense().abs().argmax(-1), source))
