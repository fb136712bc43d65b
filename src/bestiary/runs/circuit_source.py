"""The circuit that a person names: a file, a traced function, or one of the library."""

from __future__ import annotations

from pathlib import Path

from bestiary.circuits import Circuit, read_circuit
from bestiary.circuits.library import LIBRARY
from bestiary.errors import UserError, did_you_mean
from bestiary.imports import load

SIZE = 8
"""n of a circuit of the library where none is given."""


def circuit_of(source: str, n: int | None = None) -> Circuit:
    """A library name with its n, ``module:function`` of a traced function, or a path.

    ``UserError`` where there is no such thing, or n is given for what has no n.
    """
    if source in LIBRARY:
        return LIBRARY[source].make(SIZE if n is None else n)
    if n is not None:
        raise UserError(
            f"--n is {n}, but {source} is no circuit of the library{did_you_mean(source, LIBRARY)};"
            " others have the size that they have"
        )
    if Path(source).exists():
        return read_circuit(source)
    if ":" in source:
        found = load(source, "circuit", "function", lambda value: isinstance(value, Circuit))
        if not isinstance(found, Circuit):
            raise UserError(
                f"{source!r} is a {type(found).__name__}, not a circuit; trace a function with "
                "@bestiary.circuit"
            )
        return found
    raise UserError(
        f"there is no circuit {source!r}{did_you_mean(source, LIBRARY)} (accepted: a file, "
        "'package.module:function' of a traced function, or a name that bestiary library lists)"
    )
