"""Circuits that come with Bestiary, of any size: ``LIBRARY`` has them all by name.

>>> from bestiary.circuits.library import LIBRARY
>>> LIBRARY["horner"].make(3)([5, 0, 2, 1], 10)
1205
"""

from bestiary.circuits.library.automata import Automaton, recognizer
from bestiary.circuits.library.entry import LibraryCircuit
from bestiary.circuits.library.formula import Formula
from bestiary.circuits.library.measures import Measures, measured
from bestiary.circuits.library.registry import LIBRARY, library_circuit
from bestiary.circuits.library.regular import automaton_of

__all__ = [
    "LIBRARY",
    "Automaton",
    "Formula",
    "LibraryCircuit",
    "Measures",
    "automaton_of",
    "library_circuit",
    "measured",
    "recognizer",
]
