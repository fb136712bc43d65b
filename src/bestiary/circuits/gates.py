"""What a circuit is made of: operations, the arrays that go in and come out, and gates in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from math import prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bestiary.circuits.number import Number

Shape = tuple[int, ...]


class Operation(IntEnum):
    """What a gate does: gives an input or a constant, or combines two gates."""

    INPUT = 0
    CONSTANT = 1
    ADD = 2
    SUBTRACT = 3
    MULTIPLY = 4


@dataclass(frozen=True, slots=True)
class Port:
    """A named array of scalars that goes into a circuit or comes out of it; shape () is one."""

    name: str
    shape: Shape = ()

    @property
    def size(self) -> int:
        """How many scalars."""
        return prod(self.shape)

    def names(self) -> Iterator[str]:
        """A name for each scalar, in row-major order: x, or x[0], x[1], …, or x[0,0], …"""
        for index in np.ndindex(self.shape):
            yield f"{self.name}[{','.join(map(str, index))}]" if index else self.name


class Gates(Protocol):
    """What evaluation reads of a ``Circuit``; see there."""

    @property
    def operations(self) -> NDArray[np.int8]:
        """(gates,) of ``Operation``."""
        ...

    @property
    def left(self) -> NDArray[np.int64]:
        """(gates,) first operands."""
        ...

    @property
    def right(self) -> NDArray[np.int64]:
        """(gates,) second operands."""
        ...

    @property
    def constants(self) -> tuple[Number, ...]:
        """In the order of their gates."""
        ...

    @property
    def inputs(self) -> tuple[Port, ...]:
        """What goes in."""
        ...

    @property
    def outputs(self) -> tuple[Port, ...]:
        """What comes out."""
        ...

    @property
    def results(self) -> NDArray[np.int64]:
        """(outputs,) gates that come out."""
        ...

    @property
    def name(self) -> str:
        """What errors call it."""
        ...

    @property
    def width_in(self) -> int:
        """How many numbers it takes."""
        ...
