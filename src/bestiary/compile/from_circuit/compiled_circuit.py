"""A compiled circuit, with what was chosen for it."""

from __future__ import annotations

from dataclasses import dataclass

from bestiary.circuits import Circuit
from bestiary.compile.bounds import Bound
from bestiary.compile.compiling import Compiled


@dataclass(frozen=True, repr=False, kw_only=True)
class CompiledCircuit(Compiled):
    """A stack, and the layout and form of the circuit that were chosen for it.

    circuit: the one that was placed, before sums were multiplied out. rearranged: what ``auto`` did
    to get it, "balanced" or "parallel"; "" where it is as it was given. layout: wide or narrow. d:
    numbers a row of a narrow one, 1 of a wide one. bound: what the stack is held to; None where
    nothing is stated, in fewer channels and with a larger radix.
    """

    circuit: Circuit
    layout: str
    d: int = 1
    bound: Bound | None = None
    rearranged: str = ""

    @classmethod
    def of(
        cls, made: Compiled, circuit: Circuit, bound: Bound | None, layout: str = "wide", d: int = 1
    ) -> CompiledCircuit:
        """A stack with what was chosen for it."""
        return cls(
            made.source,
            made.stages,
            made.stack,
            made.found,
            circuit=circuit,
            layout=layout,
            d=d,
            bound=bound,
        )
