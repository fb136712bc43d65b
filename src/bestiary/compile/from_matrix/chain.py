"""A structured matrix as a chain of levels, in the order in which they meet a vector."""

from __future__ import annotations

from bestiary.compile.from_matrix.level import Level
from bestiary.errors import UserError
from bestiary.structured import (
    Butterfly,
    ButterflyFactor,
    Diagonal,
    Kaleidoscope,
    Permutation,
    Product,
    StructuredMatrix,
)
from bestiary.structured.block_diagonal import BlockDiagonal
from bestiary.structured.monarch import Monarch
from bestiary.structured.transforms.routing import permutation


def chain(member: StructuredMatrix) -> list[Level]:
    """The levels of a member of the hierarchy, a Monarch matrix or its parts, or their products.

    One level a factor: levels of equal bits that meet at the joints of a kaleidoscope (B_2 · B_2,
    B_n · B_n) are there to be merged. A corner's levels are those of the whole, ``size`` large;
    corners inside of a product are cut by levels of zeros. A permutation is routed through BB*.
    ``UserError`` for another type, and for a stack of matrices.
    """
    if member.stack:
        raise UserError(
            f"a stack of {member.stack} matrices cannot be compiled at once; give one member of it"
        )
    return _levels(member)


def _levels(member: StructuredMatrix) -> list[Level]:
    if isinstance(member, ButterflyFactor):
        return [Level.of_factor(member)]
    if isinstance(member, Diagonal):
        return [Level.of_diagonal(member)]
    if isinstance(member, Butterfly):
        return [Level.of_factor(factor) for factor in reversed(member.factors)]
    if isinstance(member, BlockDiagonal):
        return [Level.of_blocks(member)]
    if isinstance(member, Monarch):
        return [Level.of_blocks(member.right), Level.of_blocks(member.left, member.left.count)]
    if isinstance(member, Permutation):
        return _levels(permutation(member))
    if isinstance(member, Kaleidoscope):
        return [level for b in reversed(member.butterflies) for level in _levels(b)]
    if isinstance(member, Product):
        return _product(member)
    raise UserError(
        f"a {type(member).__name__} is no chain of levels (accepted: ButterflyFactor, Butterfly, "
        "Kaleidoscope, Diagonal, Permutation, BlockDiagonal, Monarch and products of them)"
    )


def _product(product: Product) -> list[Level]:
    parts = [(factor, _levels(factor)) for factor in reversed(product.factors)]
    size = max(level.size for _, levels in parts for level in levels)
    chained: list[Level] = []
    for factor, levels in parts:
        chained += [level if level.size == size else level.expand(size) for level in levels]
        if factor.n < size and factor is not product.factors[0]:
            chained.append(Level.keeping(factor.n, size))
    return chained
