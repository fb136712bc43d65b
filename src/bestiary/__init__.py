"""Bestiary: measure what sequence mixers can recall, and compile the theory into weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bestiary.circuits import circuit as circuit

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    # ``@bestiary.circuit``, without everybody who imports the package waiting for numpy.
    if name == "circuit":
        from bestiary.circuits import circuit

        return circuit
    raise AttributeError(f"module 'bestiary' has no attribute {name!r}")
