"""Finite automata: a word is accepted by the product of its symbols' transition matrices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bestiary.circuits.circuit import Circuit
from bestiary.circuits.library.entry import LibraryCircuit
from bestiary.circuits.library.formula import Formula
from bestiary.circuits.library.sizes import need
from bestiary.circuits.library.trees import Array, filled, listed, matmul, total
from bestiary.circuits.scans import sklansky, tree
from bestiary.circuits.tracing import circuit
from bestiary.errors import UserError


@dataclass(frozen=True)
class Automaton:
    """A deterministic finite automaton: ``transitions[state][symbol]`` is the next state.

    ``UserError`` for a table that is not rectangular, and for states that it does not have.
    """

    transitions: tuple[tuple[int, ...], ...]
    accepting: frozenset[int]
    start: int = 0

    @classmethod
    def from_table(
        cls, transitions: Sequence[Sequence[int]], accepting: Iterable[int], start: int = 0
    ) -> Automaton:
        """An automaton from lists."""
        return cls(tuple(map(tuple, transitions)), frozenset(accepting), start)

    def __post_init__(self) -> None:
        if not self.transitions or not self.transitions[0]:
            raise UserError("the table of an automaton is empty; give a row for each state")
        for state, row in enumerate(self.transitions):
            if len(row) != self.symbols:
                raise UserError(
                    f"state {state} has {len(row)} transitions; {self.symbols} are needed, one a "
                    "symbol, as in state 0"
                )
        named = {self.start, *self.accepting, *(to for row in self.transitions for to in row)}
        unknown = sorted(named - set(range(self.states)))
        if unknown:
            raise UserError(f"there is no state {unknown[0]}; states are 0 to {self.states - 1}")

    @property
    def states(self) -> int:
        """How many states."""
        return len(self.transitions)

    @property
    def symbols(self) -> int:
        """How many symbols."""
        return len(self.transitions[0])

    def accepts(self, word: Iterable[int]) -> bool:
        """Whether the automaton ends in an accepting state."""
        state = self.start
        for symbol in word:
            state = self.transitions[state][symbol]
        return state in self.accepting

    def step(self, symbol: Sequence[Any]) -> Array:
        """(states, states): 1 from each state to that which a one-hot symbol leads to."""
        found = filled((self.states, self.states), 0)
        for state, row in enumerate(self.transitions):
            for to in set(row):
                found[state, to] = total(
                    s for s, goal in zip(symbol, row, strict=True) if goal == to
                )
        return found


PARITY = Automaton.from_table([[0, 1], [1, 0]], accepting=[1])
"""Words with an odd number of ones."""
NO_TWO_ONES = Automaton.from_table([[0, 1], [0, 2], [2, 2]], accepting=[0, 1])
"""Words without two ones in a row."""
DIVISIBLE_BY_THREE = Automaton.from_table([[0, 1], [2, 0], [1, 2]], accepting=[0])
"""Words that are a multiple of three in binary, the most significant digit first."""


def recognizer(n: int, automaton: Automaton = PARITY, prefixes: bool = False) -> Circuit:
    """x (n, symbols), one-hot in every row → 1 if the automaton accepts the word, else 0.

    prefixes: → (n,), one such bit for each prefix, by Sklansky's network. Both are ⌈log2 n⌉
    products deep, the least for the degree n.
    """
    need(n=n)
    accepting = listed(int(state in automaton.accepting) for state in range(automaton.states))

    @circuit(x=(n, automaton.symbols))
    def accepted(x: Array) -> Any:
        steps = [automaton.step(symbol) for symbol in x]
        steps[0] = steps[0][automaton.start][None]
        if prefixes:
            return [matmul(reached, accepting)[0] for reached in sklansky(matmul, steps)]
        steps[-1] = matmul(steps[-1], accepting[:, None])
        return tree(matmul, steps)[0, 0]

    return accepted


CIRCUITS = (
    LibraryCircuit(
        name="automaton-parity",
        family="automata",
        description="Whether a word has an odd number of ones",
        build=recognizer,
        n_is="symbols of the word",
        source="The word's product of transition matrices, as a tree",
        multiplicative_depth=Formula("lg(n)"),
        depth=Formula("2*lg(n)"),
        options={"automaton": PARITY},
        bits=True,
    ),
    LibraryCircuit(
        name="automaton-no-two-ones",
        family="automata",
        description="Whether a word has no two ones in a row",
        build=recognizer,
        n_is="symbols of the word",
        source="The word's product of transition matrices, as a tree",
        multiplicative_depth=Formula("lg(n)"),
        depth=Formula("≤ 3*lg(n) + 1"),
        options={"automaton": NO_TWO_ONES},
        bits=True,
    ),
    LibraryCircuit(
        name="automaton-divisible-by-three",
        family="automata",
        description="Whether a word is a multiple of three in binary",
        build=recognizer,
        n_is="symbols of the word",
        source="The word's product of transition matrices, as a tree",
        multiplicative_depth=Formula("lg(n)"),
        depth=Formula("≤ 3*lg(n)"),
        options={"automaton": DIVISIBLE_BY_THREE},
        bits=True,
    ),
)
