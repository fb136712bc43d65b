"""The library as a table: what each circuit costs at one size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bestiary.circuits.library.entry import LibraryCircuit
from bestiary.circuits.library.measures import Measures, measured
from bestiary.circuits.library.sizes import need


@dataclass(frozen=True)
class Row:
    """One circuit at one size, with what it costs."""

    circuit: LibraryCircuit
    n: int
    costs: Measures

    @property
    def plain(self) -> dict[str, Any]:
        """Plain values, to be written as JSON; formulas as text."""
        circuit = self.circuit
        return {
            "name": circuit.name,
            "family": circuit.family,
            "description": circuit.description,
            "n_is": circuit.n_is,
            "source": circuit.source,
            "most": circuit.most,
            "n": self.n,
            **asdict(self.costs),
            "formulas": {what: str(formula) for what, formula in circuit.formulas.items()},
        }


def rows(
    circuits: Sequence[LibraryCircuit],
    n: int,
    watch: Callable[[str], None] | None = None,
    *,
    smaller: bool = True,
) -> Iterator[Row]:
    """Each circuit at size n, or where it is made for less and ``smaller``, at its largest.

    watch: called with the name of each before it is made. ``UserError`` where n is too large.
    """
    need(n=n)
    for circuit in circuits:
        if watch is not None:
            watch(circuit.name)
        size = min(n, circuit.most) if smaller else n
        yield Row(circuit, size, measured(circuit.make(size)))
