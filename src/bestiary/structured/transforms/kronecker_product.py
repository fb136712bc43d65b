"""Kronecker products and block-diagonal matrices of members of the hierarchy.

The left factor's index is the high bits and the right one's the low bits. Factors on different bits
commute, so the stages of both fall into one order of bits, and expansion bits go on top of all.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from bestiary.errors import UserError
from bestiary.structured.butterfly import Butterfly
from bestiary.structured.butterfly_factor import ButterflyFactor
from bestiary.structured.kaleidoscope import Kaleidoscope
from bestiary.structured.matrix import check_power_of_two
from bestiary.structured.transforms.pairs import on_bits


def kronecker(left: Butterfly | Kaleidoscope, right: Butterfly | Kaleidoscope) -> Kaleidoscope:
    """left ⊗ right: entry (i·m + j, p·m + q) is left[i, p]·right[j, q], m being the right's n.

    For members of (BB*)^w_e and (BB*)^v_f it is in (BB*)^max(w, v)_(e·f). Raises ``UserError``
    unless the right one's n is a power of two of at least 2, for stacks, and for a left n that is
    no power of two while the right one is expanded.
    """
    left, right = _same_width((Kaleidoscope.of(left), Kaleidoscope.of(right)))
    check_power_of_two(right.n, "the size of the right factor of a Kronecker product")
    if left.stack or right.stack:
        raise UserError("a Kronecker product is of two single matrices; got a stack")
    low, high = right.n.bit_length() - 1, (left.n - 1).bit_length()
    left_bits, right_bits = left.size.bit_length() - 1, right.size.bit_length() - 1
    if left.n != 1 << high and right_bits > low:
        raise UserError(
            f"the left factor of a Kronecker product has n = {left.n}; it must be a power of two "
            f"where the right one is a corner of a larger matrix ({right.n} of {right.size})"
        )
    # From the lowest: right's own bits, left's own bits, left's expansion, right's expansion.
    left_places = [low + bit for bit in range(left_bits)]
    right_places = [*range(low), *range(low + left_bits, left_bits + right_bits)]
    size = 1 << (left_bits + right_bits)
    butterflies = []
    for place, (one, other) in enumerate(zip(left.butterflies, right.butterflies, strict=True)):
        factors = [on_bits(factor, left_places, size) for factor in one.factors]
        factors += [on_bits(factor, right_places, size) for factor in other.factors]
        factors.sort(key=lambda factor: factor.k, reverse=place % 2 == 0)
        butterflies.append(Butterfly(factors))
    return Kaleidoscope(butterflies, left.n * right.n)


def block_diagonal(blocks: Sequence[Butterfly | Kaleidoscope]) -> Kaleidoscope:
    """The block-diagonal matrix of members, in (BB*)^w, w being the largest width among them.

    All blocks are of one size, a power of two, without expansion, and so is their number.
    ``UserError`` otherwise.
    """
    if not blocks:
        raise UserError("a block-diagonal matrix needs blocks; got none")
    members = _same_width([Kaleidoscope.of(block) for block in blocks])
    size = members[0].n
    check_power_of_two(len(members), "the number of blocks", least=1)
    for member in members:
        if member.size != member.n or member.n != size or member.stack:
            raise UserError(
                f"{member} cannot be a block beside {members[0]} (accepted: single members of one "
                "n, a power of two, without expansion)"
            )
    butterflies = [
        _beside([member.butterflies[place] for member in members], adjoint=place % 2 == 1)
        for place in range(2 * members[0].width)
    ]
    return Kaleidoscope(butterflies)


def _beside(blocks: Sequence[Butterfly], *, adjoint: bool) -> Butterfly:
    """Members of B, or with ``adjoint`` of B*, as the blocks of a larger one."""
    first = blocks[0]
    n = first.n * len(blocks)
    factors = []
    for place, k in enumerate(first.sizes):
        twiddle = torch.cat([block.factors[place].twiddle for block in blocks])
        factors.append(ButterflyFactor(n, k, twiddle))
    larger = Butterfly.identity(n, first.dtype).factors[: n.bit_length() - first.n.bit_length()]
    return Butterfly([*factors, *reversed(larger)] if adjoint else [*larger, *factors])


def _same_width(members: Sequence[Kaleidoscope]) -> list[Kaleidoscope]:
    """The members brought to the largest width among them by identities."""
    width = max(member.width for member in members)
    wide = []
    for member in members:
        unit = Kaleidoscope.identity(member.size, member.dtype, member.stack)
        added = unit.butterflies * (width - member.width)
        wide.append(Kaleidoscope((*member.butterflies, *added), member.n))
    return wide
