"""Products whose type is known: of members of the hierarchy, and of permutations."""

from __future__ import annotations

from bestiary.structured.butterfly import Butterfly
from bestiary.structured.kaleidoscope import Kaleidoscope
from bestiary.structured.permutation import Permutation


def product(*members: Butterfly | Kaleidoscope) -> Kaleidoscope:
    """The product of members of one n in written order; its width is the sum of theirs."""
    whole = Kaleidoscope.of(members[0])
    for member in members[1:]:
        longer = whole @ Kaleidoscope.of(member)
        if not isinstance(longer, Kaleidoscope):
            raise TypeError(f"{whole} and {member} have no kaleidoscope as their product")
        whole = longer
    return whole


def composed(*permutations: Permutation) -> Permutation:
    """The product of permutations in written order: the last one gathers first."""
    source = permutations[0].source
    for other in permutations[1:]:
        source = other.source[source]
    return Permutation(source)
