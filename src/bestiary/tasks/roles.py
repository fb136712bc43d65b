"""What each token of an example is there for, so that a person can read the example."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bestiary.tasks.protocol import IGNORE, Batch

Role = Literal["key", "value", "query", "filler", "trigger", "answer", "data", "marker"]


@dataclass(frozen=True)
class Token:
    """One token of an example. label: what must be said after it, None where nothing is asked.

    number: of the pair or the data token it belongs to, from 1; None for filler, and where an
    example has one of each.
    """

    token: int
    role: Role
    number: int | None = None
    label: int | None = None

    @property
    def mark(self) -> str:
        """``k1``, ``v1``, ``q1``, or a dot for filler."""
        return "." if self.role == "filler" else f"{self.role[0]}{self.number or ''}"


def roles(batch: Batch, row: int) -> list[Token]:
    """The tokens of example ``row`` of pairs, then queries, each with its role."""
    pairs = int(batch.info["pairs"][row])
    tokens, labels = batch.tokens[row].tolist(), batch.labels[row].tolist()
    pair_of = {key: pair for pair, key in enumerate(tokens[0 : 2 * pairs : 2], start=1)}
    told: list[Token] = []
    for at, (token, label) in enumerate(zip(tokens, labels, strict=True)):
        if at < 2 * pairs:
            told.append(Token(token, "value" if at % 2 else "key", at // 2 + 1))
        elif label != IGNORE:
            told.append(Token(token, "query", pair_of[token], label))
        else:
            told.append(Token(token, "filler"))
    return told
