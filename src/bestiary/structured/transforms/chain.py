"""Products whose type is known: of members of the hierarchy, and of permutations."""

from __future__ import annotations

import torch

from bestiary.errors import UserError
from bestiary.structured.butterfly import Butterfly
from bestiary.structured.kaleidoscope import Kaleidoscope
from bestiary.structured.permutation import Permutation


def product(*members: Butterfly | Kaleidoscope) -> Kaleidoscope:
    """The product of members of one n in written order; its width is the sum of theirs.

    The same as ``@`` between them, all at once.
    """
    kaleidoscopes = [Kaleidoscope.of(member) for member in members]
    n, size = kaleidoscopes[0].n, max(member.size for member in kaleidoscopes)
    kept = torch.arange(size, device=kaleidoscopes[0].device) < n
    butterflies: list[Butterfly] = []
    for member in kaleidoscopes:
        if member.n != n:
            raise UserError(f"{kaleidoscopes[0]} and {member} cannot be multiplied: n differs")
        if butterflies and n < size:
            # corner(A) · corner(B) = corner(A · P · B), P keeping the first n entries.
            last = butterflies.pop()
            butterflies.append(last.scale_columns(kept.to(last.dtype)))
        butterflies += (member if member.size == size else member.expand(size)).butterflies
    return Kaleidoscope(butterflies, n)


def composed(*permutations: Permutation) -> Permutation:
    """The product of permutations in written order: the last one gathers first."""
    source = permutations[0].source
    for other in permutations[1:]:
        source = other.source[source]
    return Permutation(source)
