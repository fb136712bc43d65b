"""Transform lengths that are fast."""

from __future__ import annotations

# Seconds an element of a real transform of length m · 2^a, relative to a power of two, for the odd
# factors m that pay: 15 · 2^a would have to cost less than 16/15 of 2^(a+4), and does not.
# `python -m benchmarks.conv --fft-sizes` measures them: 1.1-1.3 for lengths from 256 up, above
# 1.5 for shorter ones.
_COST = {1: 1.0, 3: 1.25, 5: 1.3, 9: 1.3}
_SHORT = 128


def fft_size(at_least: int) -> int:
    """The length from ``at_least`` up whose real transform is cheapest: m · 2^a, m odd and small.

    Always even above 1, since real transforms of odd lengths take a slower way.
    """
    if at_least <= 2:
        return at_least
    power = 1 << (at_least - 1).bit_length()
    best, best_cost = power, float(power)
    for odd, weight in _COST.items():
        if odd == 1:
            continue
        size = 2 * odd
        while size < at_least:
            size *= 2
        if size > _SHORT and size * weight < best_cost:
            best, best_cost = size, size * weight
    return best


def is_smooth(length: int) -> bool:
    """Whether ``length`` has no prime factor above 7, so that its own transform is fast."""
    for prime in (2, 3, 5, 7):
        while length % prime == 0:
            length //= prime
    return length == 1
