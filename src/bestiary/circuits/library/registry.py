"""All circuits of the library by name."""

from __future__ import annotations

from bestiary.circuits.library import (
    addition,
    automata,
    comparators,
    counting,
    determinants,
    fourier,
    matrix_products,
    multiplexers,
    multipliers,
    polynomial_evaluation,
    polynomial_multiplication,
    prefixes,
    recall,
    recurrences,
    sorting,
    symmetric,
)
from bestiary.circuits.library.entry import LibraryCircuit
from bestiary.errors import UserError, did_you_mean

LIBRARY: dict[str, LibraryCircuit] = {
    entry.name: entry
    for family in (
        polynomial_evaluation,
        polynomial_multiplication,
        symmetric,
        matrix_products,
        determinants,
        fourier,
        prefixes,
        counting,
        addition,
        multipliers,
        comparators,
        multiplexers,
        sorting,
        automata,
        recurrences,
        recall,
    )
    for entry in family.CIRCUITS
}
"""Every circuit by its name, families together."""


def library_circuit(name: str) -> LibraryCircuit:
    """The circuit of this name; ``UserError`` with the nearest name for another."""
    if name not in LIBRARY:
        raise UserError(
            f"unknown circuit {name!r}{did_you_mean(name, LIBRARY)} (bestiary library lists all)"
        )
    return LIBRARY[name]
