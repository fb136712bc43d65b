"""Any permutation as a member of BB*, by routing it through a Beneš network.

Beneš, "Optimal rearrangeable multistage connecting networks", 1964; the looping algorithm is of
Opferman and Tsao-Wu, "On a class of rearrangeable switching networks", 1971. Here the outer
switches exchange t and t + n/2, so that the two inner networks are the contiguous halves and the
switches are butterfly factors of sizes n, n/2, …, 2, …, n/2, n.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from bestiary.structured.butterfly import Butterfly, falling_sizes
from bestiary.structured.kaleidoscope import Kaleidoscope
from bestiary.structured.permutation import Permutation
from bestiary.structured.transforms.arguments import holding, numbers
from bestiary.structured.transforms.pairs import switches


def permutation(
    source: Sequence[int] | Tensor | Permutation, dtype: torch.dtype = torch.float64
) -> Kaleidoscope:
    """The permutation y[i] = x[source[i]] in BB*, of entries 0 and 1.

    A length that is no power of two is padded to one with fixed points; ``size`` shows it.
    ``UserError`` for a source that is no permutation.
    """
    gather = source if isinstance(source, Permutation) else Permutation(source)
    n = gather.n
    size = holding(n)
    pieces = [gather.source.tolist() + list(range(n, size))]
    entering, leaving = [], []
    for k in falling_sizes(size):
        crossed_in: list[bool] = []
        crossed_out: list[bool] = []
        halves = []
        for piece in pieces:
            inner, first, last = _split(piece)
            halves += inner
            crossed_in += first
            crossed_out += last
        entering.append(switches(size, k, torch.tensor(crossed_in), dtype))
        leaving.append(switches(size, k, torch.tensor(crossed_out), dtype))
        pieces = halves
    return Kaleidoscope((Butterfly(leaving), Butterfly(entering[::-1])), n)


def bit_reversal(n: int) -> Kaleidoscope:
    """y[i] = x[j], j being i with its bits in the opposite order, in BB*; n a power of two."""
    return permutation(Permutation.bit_reversal(n))


def stride(n: int) -> Permutation:
    """The perfect shuffle: entries of even index first, then those of odd index; any n."""
    return Permutation([*range(0, n, 2), *range(1, n, 2)])


def sort(keys: Any) -> Kaleidoscope:
    """The permutation, in BB*, that puts ``keys`` in rising order and keeps equal ones; any n."""
    return permutation(numbers(keys, "the keys of a sort").argsort(stable=True))


def _split(source: list[int]) -> tuple[list[list[int]], list[bool], list[bool]]:
    """Cut a permutation in two for the inner networks: (upper, lower), switches in, switches out.

    The two values of a pair, entering or leaving, must take different networks. Going from a
    pair's output to its input, on to the other input of that pair, and so on, closes a loop.
    """
    half = len(source) // 2
    target = [0] * len(source)
    for i, j in enumerate(source):
        target[j] = i
    lower = [False] * len(source)
    seen = [False] * half
    for start in range(half):
        i = start
        while not seen[i % half]:
            seen[i % half] = True
            lower[i ^ half] = True
            i = target[source[i ^ half] ^ half]
    inner: list[list[int]] = [[0] * half, [0] * half]
    for i, j in enumerate(source):
        inner[lower[i]][i % half] = j % half
    return inner, [lower[target[j]] for j in range(half)], lower[:half]
