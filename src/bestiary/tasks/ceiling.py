"""How well any memory of a given size can recall: the information-theoretic ceiling."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestiary.errors import UserError

BISECTIONS = 60
"""Halvings of the interval: below the spacing of float64 near 1."""


def bits_needed(accuracy: ArrayLike, pairs: ArrayLike, values: ArrayLike) -> NDArray[np.float64]:
    """Bits of state that answering ``pairs`` queries with ``accuracy`` takes, at the least.

    K · [log2 M − H(1 − a) − (1 − a) · log2(M − 1)] with H the binary entropy, for accuracies
    a ≥ 1/M, M being ``values``: the rate-distortion function of K uniform values out of M under
    the Hamming distance. Cover and Thomas, Elements of Information Theory, 2nd ed., section 10.3
    (with Fano's inequality, section 2.10). Below 1/M it is 0: guessing needs no state. Arguments
    broadcast.
    """
    accuracy, pairs, values = np.broadcast_arrays(
        np.asarray(accuracy, dtype=np.float64),
        np.asarray(pairs, dtype=np.float64),
        np.asarray(values, dtype=np.float64),
    )
    wrong = 1 - np.maximum(accuracy, 1 / values)
    others = np.maximum(values - 1, 1)
    bits = np.log2(values) - _entropy(wrong) - wrong * np.log2(others)
    return pairs * np.maximum(bits, 0)


def recall_ceiling(
    state_bits: ArrayLike, pairs: ArrayLike, values: ArrayLike
) -> NDArray[np.float64]:
    """The highest accuracy that ``state_bits`` of memory allow on ``pairs`` out of ``values``.

    The a in [1/values, 1] at which ``bits_needed`` reaches the state; 1 where even perfect recall
    needs less. Arguments broadcast; the result is float64, a 0-d array for three scalars.
    Raises ``UserError`` for a negative state, or for pairs or values below 1.
    """
    state, count, choices = np.broadcast_arrays(
        np.asarray(state_bits, dtype=np.float64),
        np.asarray(pairs, dtype=np.float64),
        np.asarray(values, dtype=np.float64),
    )
    for name, given, least in (
        ("state_bits", state, 0),
        ("pairs", count, 1),
        ("values", choices, 1),
    ):
        if not (given >= least).all():
            raise UserError(f"{name} is {given.min()}; it must be at least {least}")
    guess = 1 / choices
    low, high = guess, np.ones(state.shape)
    enough = bits_needed(high, count, choices) <= state
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        fits = bits_needed(middle, count, choices) <= state
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    # Flat at the guess: rounding there would be worth 1e-8 of accuracy.
    return np.where(enough, 1.0, np.where(state == 0, guess, low))


def _entropy(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bits of a coin with probability p; 0 at 0 and at 1."""
    safe = np.clip(p, np.finfo(np.float64).tiny, 1)
    other = np.clip(1 - p, np.finfo(np.float64).tiny, 1)
    return -(p * np.log2(safe) + (1 - p) * np.log2(other))
