"""An arithmetic circuit: inputs, constants, sums, differences and products, in order.

Gates are numbered so that each stands after its operands, and are kept as arrays: a circuit may
have hundreds of thousands of them. ``Builder`` makes circuits; nothing here changes one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestiary.circuits.calling import called
from bestiary.circuits.gates import Operation, Port
from bestiary.circuits.number import Number
from bestiary.errors import UserError, counted


@dataclass(frozen=True, eq=False)
class Circuit:
    """Gates in order, with the arrays that go in and come out.

    operations (gates,) of ``Operation``; left, right (gates,) their operands: gates of smaller
    numbers, or for an input its place among all input scalars and for a constant its place in
    ``constants`` (right is -1). results (outputs,) are the gates that come out, in the order of the
    scalars of ``outputs``. names: what a person called a gate, where they did.
    """

    operations: NDArray[np.int8]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    constants: tuple[Number, ...]
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    results: NDArray[np.int64]
    name: str = "circuit"
    names: Mapping[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for array in (self.operations, self.left, self.right, self.results):
            array.setflags(write=False)
        self._check()

    def _check(self) -> None:
        if not len(self.results):
            raise UserError(f"the circuit {self.name} has no outputs; give at least one")
        for ports, what in ((self.inputs, "inputs"), (self.outputs, "outputs")):
            uses = Counter(port.name for port in ports)
            for name, count in uses.most_common(1):
                if count > 1:
                    raise UserError(f"two {what} are called {name}; give each a name of its own")
        kinds, gates = self.operations, np.arange(len(self))
        sound = kinds == Operation.INPUT
        sound |= (kinds == Operation.CONSTANT) & _within(self.left, len(self.constants))
        computed = (kinds >= Operation.ADD) & (kinds <= Operation.MULTIPLY)
        sound |= computed & _within(self.left, gates) & _within(self.right, gates)
        if not sound.all():
            gate = int(np.argmin(sound))
            raise UserError(
                f"gate {gate} of the circuit {self.name} is made from {self.left[gate]} and "
                f"{self.right[gate]}; it needs gates before it, or a constant that is there"
            )
        given = np.sort(self.left[kinds == Operation.INPUT])
        if not np.array_equal(given, np.arange(self.width_in)):
            raise UserError(
                f"the circuit {self.name} takes {self.width_in} numbers and has {len(given)} gates "
                "of inputs; one each is needed"
            )
        if len(self.results) != sum(port.size for port in self.outputs):
            raise UserError(
                f"the circuit {self.name} gives {len(self.results)} numbers; its outputs have "
                f"{sum(port.size for port in self.outputs)} in all"
            )
        if not _within(self.results, len(self)).all():
            raise UserError(f"an output of the circuit {self.name} is a gate that is not there")

    def __len__(self) -> int:
        return len(self.operations)

    @property
    def width_in(self) -> int:
        """How many scalars go in."""
        return sum(port.size for port in self.inputs)

    @property
    def input_names(self) -> list[str]:
        """A name for each scalar that goes in."""
        return [name for port in self.inputs for name in port.names()]

    @property
    def output_names(self) -> list[str]:
        """A name for each scalar that comes out."""
        return [name for port in self.outputs for name in port.names()]

    @property
    def is_complex(self) -> bool:
        """Whether a constant is complex."""
        return any(isinstance(number, complex) for number in self.constants)

    @cached_property
    def moving(self) -> NDArray[np.bool_]:
        """(gates,) whether a gate depends on the inputs."""
        moving = self.operations == Operation.INPUT
        for gate in self._computed:
            moving[gate] = moving[self.left[gate]] or moving[self.right[gate]]
        return moving

    @cached_property
    def needed(self) -> NDArray[np.bool_]:
        """(gates,) whether a gate comes out, or one that is made from it does."""
        needed = np.zeros(len(self), dtype=bool)
        needed[self.results] = True
        for gate in reversed(self._computed):
            if needed[gate]:
                needed[self.left[gate]] = needed[self.right[gate]] = True
        return needed

    @cached_property
    def products(self) -> NDArray[np.bool_]:
        """(gates,) whether a gate multiplies two gates that depend on the inputs."""
        found = np.zeros(len(self), dtype=bool)
        at = np.flatnonzero(self.operations == Operation.MULTIPLY)
        found[at] = self.moving[self.left[at]] & self.moving[self.right[at]]
        return found

    @cached_property
    def levels(self) -> NDArray[np.int64]:
        """(gates,) multiplicative depth: the most products on a way from an input to the gate."""
        return self._longest(self.products)

    @cached_property
    def depths(self) -> NDArray[np.int64]:
        """(gates,) the most gates that compute something on a way from an input to the gate."""
        return self._longest(self.operations >= Operation.ADD)

    def _longest(self, counted: NDArray[np.bool_]) -> NDArray[np.int64]:
        longest, left, right = [0] * len(self), self.left.tolist(), self.right.tolist()
        steps = counted.astype(int).tolist()
        for gate in self._computed:
            longest[gate] = max(longest[left[gate]], longest[right[gate]]) + steps[gate]
        return np.array(longest, dtype=np.int64)

    @property
    def _computed(self) -> list[int]:
        found: list[int] = np.flatnonzero(self.operations >= Operation.ADD).tolist()
        return found

    @property
    def size(self) -> int:
        """s: how many gates compute something."""
        return int((self.operations >= Operation.ADD).sum())

    @property
    def depth(self) -> int:
        """Δ: the most gates on a way from an input to an output."""
        return int(self.depths[self.results].max())

    @property
    def multiplicative_depth(self) -> int:
        """D: the most products on a way from an input to an output."""
        return int(self.levels[self.results].max())

    @cached_property
    def degrees(self) -> NDArray[np.object_]:
        """(gates,) the degree of each gate as a polynomial, if nothing cancels; Python ints."""
        degrees = [0] * len(self)
        left, right = self.left.tolist(), self.right.tolist()
        for gate, operation in enumerate(self.operations.tolist()):
            if operation == Operation.INPUT:
                degrees[gate] = 1
            elif operation == Operation.MULTIPLY:
                degrees[gate] = degrees[left[gate]] + degrees[right[gate]]
            elif operation != Operation.CONSTANT:
                degrees[gate] = max(degrees[left[gate]], degrees[right[gate]])
        return np.array(degrees, dtype=object)

    @property
    def degree(self) -> int:
        """The degree of the outputs as polynomials, if nothing cancels."""
        return int(max(self.degrees[self.results]))

    @property
    def linear(self) -> bool:
        """Whether nothing that depends on the inputs is multiplied by such a thing."""
        return self.multiplicative_depth == 0

    @cached_property
    def width(self) -> int:
        """w: the most gates of one depth, or carried past it, to be used deeper or to come out."""
        last = self.depths.copy()
        left, right = self.left.tolist(), self.right.tolist()
        depths = self.depths.tolist()
        for gate in self._computed:
            for operand in (left[gate], right[gate]):
                last[operand] = max(last[operand], depths[gate] - 1)
        last[self.results] = self.depth
        counted = self.operations != Operation.CONSTANT
        change = np.zeros(int(last.max()) + 2, dtype=np.int64)
        np.add.at(change, self.depths[counted], 1)
        np.add.at(change, last[counted] + 1, -1)
        return int(change.cumsum().max())

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Evaluate exactly: ints and fractions stay so. The shapes of arguments are those of ports.

        Returns the one output, or a dict of them; an output of shape () is a number, others are
        arrays of objects.
        """
        return called(self, arguments, named)

    @property
    def counts(self) -> tuple[str, ...]:
        """How large it is in words, a size each: inputs first and outputs last."""
        return (
            counted(self.width_in, "input"),
            counted(self.size, "gate"),
            f"depth {self.depth}",
            f"width {self.width}",
            counted(int(self.products.sum()), "product"),
            f"multiplicative depth {self.multiplicative_depth}",
            counted(len(self.results), "output"),
        )

    def __str__(self) -> str:
        return f"{self.name}: {', '.join(self.counts)}"


def _within(numbers: NDArray[np.int64], end: int | NDArray[np.int64]) -> NDArray[np.bool_]:
    return (numbers >= 0) & (numbers < end)
