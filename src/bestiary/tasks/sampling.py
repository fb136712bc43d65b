"""Draws that tasks share, each for many rows at once and with memory of the order of its result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestiary.tasks.seeding import Words

CHUNK = 2**20
"""64-bit numbers held at a time, so that long rows need little more memory than their result."""


def distinct(words: Words, choices: int, rows: int, size: int) -> NDArray[np.int64]:
    """Ordered draws without replacement: (rows, size) int64 in 0 … choices − 1.

    Every ordered tuple of distinct numbers is equally likely. size is at most choices.
    """
    if choices <= 4 * size:
        return np.argsort(words.raw(rows, choices), axis=1, kind="stable")[:, :size]
    drawn = words.below(choices, rows, size)
    # Which entries are drawn again depends only on which are equal, so renaming the numbers
    # renames the outcome: no tuple of distinct numbers can be preferred to another.
    suspects = np.arange(rows)
    while len(suspects):
        repeated = _repeats(drawn[suspects])
        row, column = np.nonzero(repeated)
        drawn[suspects[row], column] = words.below(choices, len(row))
        suspects = suspects[repeated.any(axis=1)]
    return drawn


def _repeats(rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark each entry that equals one further left in its row."""
    size = rows.shape[1]
    # Value and place in one number: plain sorting is several times faster than argsort.
    ordered = np.sort(rows * size + np.arange(size), axis=1)
    value, place = np.divmod(ordered, size)
    row, at = np.nonzero(value[:, 1:] == value[:, :-1])
    marks = np.zeros(rows.shape, dtype=bool)
    marks[row, place[row, at + 1]] = True
    return marks


def by_power_law(
    words: Words, power: float, choices: int, rows: int, size: int
) -> NDArray[np.int64]:
    """Successive draws without replacement with p(i) ∝ i^(power − 1), i = 1 … choices.

    Returns (rows, size) int64 holding i − 1, in the order drawn: each draw is from the law
    renormalised over what is left. Exact: i gets an exponential waiting time of rate p(i), and
    the first ``size`` to arrive are taken in order (Efraimidis and Spirakis, 2006). The law of
    gaps is that of Arora et al., 2023 (arXiv 2312.04927), section 4.
    """
    drawn = np.empty((rows, size), dtype=np.int64)
    handicap = (power - 1) * np.log(np.arange(1, choices + 1))
    for part in _parts(rows, choices):
        waiting = words.unit(part.stop - part.start, choices)
        np.log(waiting, out=waiting)
        np.negative(waiting, out=waiting)
        np.log(waiting, out=waiting)
        waiting -= handicap
        drawn[part] = _smallest(waiting, size)
    return drawn


def _smallest(rows: NDArray[np.float64], size: int) -> NDArray[np.int64]:
    """Places of the ``size`` smallest entries of each row, in ascending order of the entries."""
    if size == rows.shape[1]:
        return np.argsort(rows, axis=1)
    first = np.argpartition(rows, size - 1, axis=1)[:, :size]
    order = np.argsort(np.take_along_axis(rows, first, axis=1), axis=1)
    return np.take_along_axis(first, order, axis=1)


def uniform(words: Words, choices: int, rows: int, size: int) -> NDArray[np.unsignedinteger[Any]]:
    """Uniform draws: (rows, size) in 0 … choices − 1, of the smallest unsigned type for them."""
    drawn = np.empty((rows, size), dtype=np.min_scalar_type(choices - 1))
    for part in _parts(rows, size):
        drawn[part] = words.below(choices, part.stop - part.start, size)
    return drawn


def avoiding(
    words: Words, choices: int, avoided: NDArray[np.int64], size: int
) -> NDArray[np.unsignedinteger[Any]]:
    """Uniform draws that miss a row's own avoided numbers: (rows, size) in 0 … choices − 1.

    avoided: (rows, k), k below choices. Of the smallest unsigned type for ``choices``.
    """
    drawn = uniform(words, choices, len(avoided), size)
    avoided = avoided.astype(drawn.dtype)
    hit = np.zeros(drawn.shape, dtype=bool)
    for column in avoided.T:
        hit |= drawn == column[:, None]
    row, at = np.nonzero(hit)
    while len(row):
        drawn[row, at] = words.below(choices, len(row))
        again = (drawn[row, at, None] == avoided[row]).any(axis=1)
        row, at = row[again], at[again]
    return drawn


def guessing(places: int, choices: int) -> float:
    """How often the token at one of ``places``, taken at random, equals that at another.

    Their tokens are independent and uniform among ``choices``; the two places may be the same.
    """
    return 1 / places + (1 - 1 / places) / choices


def _parts(rows: int, width: int) -> Iterator[slice]:
    """Rows in pieces of about ``CHUNK`` numbers; words come in row order, so none is moved."""
    step = max(1, CHUNK // width)
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))
