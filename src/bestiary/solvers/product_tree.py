"""Products of many channels as a tree, in an array program."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bestiary.compile.expression import Value, concat, mul

Labels = Callable[[tuple[int, ...]], Sequence[str]]
"""The names of the ``size`` channels that are the product of these groups."""


def product_over(
    factors: Value, size: int = 1, name: str = "", labels: Labels | None = None
) -> Value:
    """The product of the groups of ``size`` channels that lie beside each other: ``size`` channels.

    ⌈log2⌉ of their number layers; halves of a round lie together, an odd group waits at the end.
    name, labels: of the products on the way and of the last.
    """
    members: list[tuple[int, ...]] = [(number,) for number in range(factors.width // size)]
    while factors.width > size:
        half, odd = divmod(factors.width // size, 2)
        product = mul(factors[: half * size], factors[half * size : 2 * half * size])
        paired = zip(members[:half], members[half : 2 * half], strict=True)
        members = [*(one + other for one, other in paired), *members[2 * half :]]
        if name:
            named = None if labels is None else [t for m in members[:half] for t in labels(m)]
            product = product.named(name, named)
        factors = concat([product, factors[2 * half * size :]]) if odd else product
    return factors
