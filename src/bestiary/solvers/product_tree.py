"""Products of many channels as a tree, in an array program."""

from __future__ import annotations

from bestiary.compile.expression import Value, concat, mul


def product_over(factors: Value, size: int = 1) -> Value:
    """The product of the groups of ``size`` channels that lie beside each other: ``size`` channels.

    ⌈log2⌉ of their number layers; halves of a round lie together, an odd group waits at the end.
    """
    while factors.width > size:
        half, odd = divmod(factors.width // size, 2)
        product = mul(factors[: half * size], factors[half * size : 2 * half * size])
        factors = concat([product, factors[2 * half * size :]]) if odd else product
    return factors
