"""Read an MQAR example as a person would: from its tokens alone, knowing only the layout."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bestiary.tasks.protocol import IGNORE


def read(tokens: NDArray[np.int64], pair_counts: Sequence[int], half: int) -> NDArray[np.int64]:
    """Labels (batch, length) of examples with one of ``pair_counts`` pairs; keys are below half.

    The number of pairs is the largest for which an example reads as one; the smallest is taken
    unread, so that with a single count nothing can go wrong.
    """
    labels = np.full(tokens.shape, IGNORE, dtype=np.int64)
    unread = np.arange(len(tokens))
    largest_first = sorted(pair_counts, reverse=True)
    for pairs in largest_first[:-1]:
        fits = reads_as(tokens[unread], pairs, half)
        labels[unread[fits]] = answers(tokens[unread[fits]], pairs)
        unread = unread[~fits]
    labels[unread] = answers(tokens[unread], largest_first[-1])
    return labels


def answers(tokens: NDArray[np.int64], pairs: int) -> NDArray[np.int64]:
    """Every occurrence of a key after the context, labelled with the value beside it there."""
    labels = np.full(tokens.shape, IGNORE, dtype=np.int64)
    context = 2 * pairs
    for pair in range(0, context, 2):
        key, value = tokens[:, pair, None], tokens[:, pair + 1, None]
        np.copyto(labels[:, context:], value, where=tokens[:, context:] == key)
    return labels


def reads_as(tokens: NDArray[np.int64], pairs: int, half: int) -> NDArray[np.bool_]:
    """Whether each row can be an example of ``pairs`` pairs, (batch,).

    Distinct keys below half with values from half up beside them, and every key asked for.
    """
    context = 2 * pairs
    keys, values = tokens[:, 0:context:2], tokens[:, 1:context:2]
    fits = np.all((keys > 0) & (keys < half) & (values >= half), axis=1)
    ordered = np.sort(keys, axis=1)
    fits &= np.all(ordered[:, 1:] != ordered[:, :-1], axis=1)
    for key in keys.T:
        fits &= np.any(tokens[:, context::2] == key[:, None], axis=1)
    return np.asarray(fits)
