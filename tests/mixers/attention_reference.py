"""Attention written out in numpy, position by position, from a mixer's weights."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray

from bestiary.mixers.heads import HeadProjections

Array = NDArray[np.float64]
Weigh = Callable[[Array, Array], Array]


def array(tensor: torch.Tensor) -> Array:
    return tensor.detach().double().numpy()


def noise(*shape: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def softmax_weights(query: Array, keys: Array) -> Array:
    scores = keys @ query / np.sqrt(len(query))
    exponentials = np.exp(scores - scores.max())
    return exponentials / exponentials.sum()


def taylor_weights(query: Array, keys: Array) -> Array:
    scores = keys @ query / np.sqrt(len(query))
    polynomial = 1 + scores + scores**2 / 2
    return polynomial / polynomial.sum()


def turned(x: Array, positions: Array) -> Array:
    """Rows of x as complex numbers, channels (c, c + half), times exp(i · position · rate)."""
    half = x.shape[1] // 2
    rates = 10_000.0 ** (-2 * np.arange(half) / x.shape[1])
    numbers = (x[:, :half] + 1j * x[:, half:]) * np.exp(1j * positions[:, None] * rates)
    return np.concatenate([numbers.real, numbers.imag], axis=1)


def reference(
    x: torch.Tensor,
    projections: HeadProjections,
    weigh: Weigh,
    window: int | None = None,
    rotary: bool = False,
) -> Array:
    """Outputs (batch, length, d_model): each position reads those up to it, the last ``window``."""
    heads, width, dim = projections.heads, projections.key_dim, projections.value_dim
    inward, outward = array(projections.inward.weight), array(projections.outward.weight)
    inward_bias, outward_bias = (
        0.0 if linear.bias is None else array(linear.bias)
        for linear in (projections.inward, projections.outward)
    )
    results = []
    for row in array(x):
        projected = row @ inward.T + inward_bias
        read = np.zeros((len(row), heads * dim))
        for head in range(heads):
            query = projected[:, head * width : (head + 1) * width]
            key = projected[:, heads * width :][:, head * width : (head + 1) * width]
            value = projected[:, 2 * heads * width :][:, head * dim : (head + 1) * dim]
            if rotary:
                positions = np.arange(len(row), dtype=float)
                query, key = turned(query, positions), turned(key, positions)
            for t in range(len(row)):
                first = 0 if window is None else max(0, t - window + 1)
                weights = weigh(query[t], key[first : t + 1])
                read[t, head * dim : (head + 1) * dim] = weights @ value[first : t + 1]
        results.append(read @ outward.T + outward_bias)
    return np.stack(results)


def in_parts(mixer: torch.nn.Module, x: torch.Tensor, cuts: list[int]) -> Array:
    """Outputs of the parts of x between ``cuts``, the state carried from each to the next."""
    state = mixer.initial_state(len(x))
    outputs = []
    edges = sorted({0, *cuts, x.shape[1]})
    for start, stop in pairwise(edges):
        y, state = mixer(x[:, start:stop], state)
        outputs.append(array(y))
    return np.concatenate(outputs, axis=1)
