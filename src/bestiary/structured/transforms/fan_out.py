"""Copy entries any number of times with one member of B* and one of B.

Lee, "Nonblocking copy networks for multicast packet switching", 1988, in this factor order. The
member of B* brings the k entries that are wanted together; halving their number at every stage,
it leaves them at the places R(0) … R(k − 1), R being the bit reversal, in an order of its own. The
member of B then spreads entry r over the places R(a) … R(b − 1) of its interval of copies: seen
with bits reversed, it splits intervals at their middle, largest half first, and never puts two
values in one place, because entry r comes from place r at most where it has to go.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from bestiary.structured.butterfly import Butterfly, falling_sizes
from bestiary.structured.permutation import Permutation
from bestiary.structured.transforms.pairs import pair_factor, switches, with_bits_reversed


@dataclass(frozen=True)
class FanOut:
    """``spread`` · ``gather``, in B and B*: copy t of the wanted entries lies at ``slots[t]``.

    All other places of the product are 0.
    """

    spread: Butterfly
    gather: Butterfly
    slots: Tensor


def fan_out(sources: Tensor, size: int, dtype: torch.dtype = torch.float64) -> FanOut:
    """Copy entry ``sources[t]`` of a vector of ``size``, a power of two, for each t < size."""
    counts = torch.bincount(sources, minlength=size)
    gather, held = _gathered(counts > 0, size, dtype)
    order = Permutation.bit_reversal(size).source
    ranked = held[order]
    ranked = ranked[counts[ranked] > 0]
    ends = counts[ranked].cumsum(0)
    spread = _spread(torch.cat([torch.zeros(1, dtype=torch.long), ends]), size, dtype)
    # Copies of one entry take its interval in the order in which they are asked for.
    rank = torch.zeros(size, dtype=torch.long)
    rank[ranked] = torch.arange(len(ranked))
    by_rank = rank[sources].argsort(stable=True)
    slots = torch.empty_like(sources)
    slots[by_rank] = order[: len(sources)]
    return FanOut(spread, gather, slots)


def _gathered(wanted: Tensor, size: int, dtype: torch.dtype) -> tuple[Butterfly, Tensor]:
    """Switches of B* after which each half of each block holds half of the wanted, rounded.

    The upper half gets the larger part. Returns them and what lies at each place afterwards.
    """
    held = torch.arange(size)
    factors = []
    for k in falling_sizes(size):
        pairs = held.reshape(size // k, 2, k // 2)
        upper, lower = wanted[pairs[:, 0]], wanted[pairs[:, 1]]
        single = upper ^ lower
        to_upper = single.cumsum(1) % 2 == 1
        crossed = single & (to_upper ^ upper)
        factors.append(switches(size, k, crossed.flatten(), dtype))
        held = torch.where(crossed[:, None], pairs.flip(1), pairs).flatten()
    return Butterfly(factors[::-1]), held


def _spread(bounds: Tensor, size: int, dtype: torch.dtype) -> Butterfly:
    """The member of B that copies place R(r) to the places R(t), bounds[r] ≤ t < bounds[r + 1]."""
    count = len(bounds) - 1
    low, high = torch.zeros(size, dtype=torch.long), torch.zeros(size, dtype=torch.long)
    low[:count], high[:count] = bounds[:-1], bounds[1:]
    factors = []
    for k in falling_sizes(size):
        half = k // 2
        start = torch.arange(0, size, k)[:, None, None]
        below, above = low.reshape(-1, 2, half), high.reshape(-1, 2, half)
        middle = start + half
        to_upper = torch.minimum(above, middle) > torch.maximum(below, start)
        to_lower = torch.minimum(above, start + k) > torch.maximum(below, middle)
        towards = (to_upper, to_lower)
        entries = [[moved[:, j].flatten().to(dtype) for j in range(2)] for moved in towards]
        factors.append(pair_factor(size, k, entries, dtype))
        # Of the two that a pair holds at most one moves to either half.
        low = torch.stack([(moved * below).sum(1) for moved in towards], 1).flatten()
        high = torch.stack([(moved * above).sum(1) for moved in towards], 1).flatten()
    return with_bits_reversed(Butterfly(factors[::-1]))
