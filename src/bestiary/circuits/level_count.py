"""The multiplicative depth of gates while a circuit is being built."""

from __future__ import annotations

from bestiary.circuits.building import Builder
from bestiary.circuits.gates import Operation


class Levels:
    """Called with a gate of a builder: the most products on a way from an input to it."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.level: list[int] = []
        self.moves: list[bool] = []

    def __call__(self, gate: int) -> int:
        """The level of a gate."""
        built = self.builder
        for new in range(len(self.level), gate + 1):
            operation, a, b = built.operations[new], built.left[new], built.right[new]
            if operation < Operation.ADD:
                self.level.append(0)
                self.moves.append(operation == Operation.INPUT)
                continue
            product = operation == Operation.MULTIPLY and self.moves[a] and self.moves[b]
            self.level.append(max(self.level[a], self.level[b]) + product)
            self.moves.append(self.moves[a] or self.moves[b])
        return self.level[gate]
