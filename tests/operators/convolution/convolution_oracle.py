"""The definitions of the three modes, as sums over taps and positions in numpy."""

from __future__ import annotations

import numpy as np


def causal(u: np.ndarray, h: np.ndarray) -> np.ndarray:
    """(batch, length, channels): y[t] = sum over s <= t of h[s] u[t - s]."""
    y = np.zeros_like(u)
    for t in range(u.shape[1]):
        for s in range(min(t + 1, len(h))):
            y[:, t] += h[s] * u[:, t - s]
    return y


def circular(u: np.ndarray, h: np.ndarray) -> np.ndarray:
    """The product of polynomials modulo X^length - 1: entry i + j lands on (i + j) mod length."""
    y = np.zeros_like(u)
    length = u.shape[1]
    for i in range(length):
        for j in range(len(h)):
            y[:, (i + j) % length] += h[j] * u[:, i]
    return y


def bidirectional(u: np.ndarray, h: np.ndarray, centre: int) -> np.ndarray:
    """Input i reaches output i + j - centre through tap j, if there is such an output."""
    y = np.zeros_like(u)
    length = u.shape[1]
    for i in range(length):
        for j in range(len(h)):
            if 0 <= i + j - centre < length:
                y[:, i + j - centre] += h[j] * u[:, i]
    return y


def direct_sum(u: np.ndarray, h: np.ndarray, mode: str, centre: int | None) -> np.ndarray:
    """The oracle of a mode."""
    if mode == "causal":
        return causal(u, h)
    if mode == "circular":
        return circular(u, h)
    return bidirectional(u, h, len(h) // 2 if centre is None else centre)
