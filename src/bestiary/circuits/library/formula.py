"""A count of a circuit (depth, products, …) as a formula in its sizes: shown, and checked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import CodeType

AT_MOST = "≤ "


def lg(n: int) -> int:
    """⌈log2 n⌉, the levels of a balanced tree with n leaves; 0 for n ≤ 1."""
    return max(n - 1, 0).bit_length()


def carry_saves(n: int) -> int:
    """In how many rounds n numbers become two, if every three become two of the same sum."""
    return 0 if n <= 2 else 1 + carry_saves(n - n // 3)


VOCABULARY = {
    "__builtins__": {},
    "lg": lg,
    "carry_saves": carry_saves,
    "min": min,
    "max": max,
}


MEANINGS = {
    "lg": "lg: ⌈log2⌉",
    "carry_saves": "carry_saves(n): rounds in which three numbers become two, until n are two",
    "bit_length": "n.bit_length(): bits of n",
    "bit_count": "n.bit_count(): ones among the bits of n",
}
"""What those who read a formula are told of its functions."""


@dataclass(frozen=True)
class Formula:
    """A Python expression in the sizes of a circuit, such as ``2*n - 1``; ``≤`` before a bound.

    Of functions it may use those of ``VOCABULARY``; ``lg`` is ⌈log2⌉. The text that people read is
    what is computed, so that the two cannot differ.
    """

    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def names(self) -> frozenset[str]:
        """The sizes and functions that it speaks of."""
        return frozenset(self._code.co_names)

    @property
    def at_most(self) -> bool:
        """Whether the count may be less."""
        return self.text.startswith(AT_MOST)

    def __call__(self, **sizes: object) -> int:
        """The count for the sizes given by name."""
        # Only formulas written in this package come here, never text of a user.
        return int(eval(self._code, VOCABULARY | sizes))

    def holds(self, count: int, **sizes: object) -> bool:
        """Whether ``count`` is what the formula says."""
        stated = self(**sizes)
        return count <= stated if self.at_most else count == stated

    @cached_property
    def _code(self) -> CodeType:
        return compile(self.text.removeprefix(AT_MOST), "formula", "eval")
